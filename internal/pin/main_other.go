//go:build !linux

package pin

import "github.com/threadcall/threadcall/internal/ident"

// mainThread is the number of the process's main thread, on which a program initialises package
// variables, or zero.
var mainThread = ident.Thread()
