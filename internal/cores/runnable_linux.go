package cores

import (
	"bytes"
	"runtime"
	"strconv"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// loadavg is the descriptor of /proc/loadavg, or zero. The goroutine that reads the quota opens it,
// for as long as the process lasts: another thread may be in another mount namespace.
var loadavg atomic.Int32

// procMagic is the file system whose files the kernel writes itself. Others may take long.
const procMagic = 0x9fa0

func openLoadavg() {
	fd, err := syscall.Open("/proc/loadavg", syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	var s syscall.Statfs_t
	if fd == 0 || syscall.Fstatfs(fd, &s) != nil || s.Type != procMagic {
		_ = syscall.Close(fd)
		return
	}
	loadavg.Store(int32(fd))
}

// Runnable returns how many threads of all processes run or wait for a core, and how many cores the
// machine has. It is false if that is not known. It costs a microsecond.
func Runnable() (threads, cores int, ok bool) {
	var text [64]byte
	fd := loadavg.Load()
	if fd == 0 {
		return 0, 0, false
	}
	n, _, errno := syscall.RawSyscall6(syscall.SYS_PREAD64, uintptr(fd),
		uintptr(unsafe.Pointer(&text)), unsafe.Sizeof(text), 0, 0, 0)
	if errno != 0 {
		return 0, 0, false
	}
	threads, ok = running(text[:n])
	return threads, runtime.NumCPU(), ok
}

// running returns the number before the slash in a text such as "0.20 0.18 0.12 3/481 11206".
func running(text []byte) (n int, ok bool) {
	before, _, found := bytes.Cut(text, []byte("/"))
	number := string(before[bytes.LastIndexByte(before, ' ')+1:]) //threadcall:alloc above 32 bytes
	n, err := strconv.Atoi(number)
	return n, found && err == nil && n > 0
}
