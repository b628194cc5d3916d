package pin

import "syscall"

// mainThread is the number of the process's main thread, in a plugin and in a library for C
// programs, too.
var mainThread = uint64(syscall.Getpid())
