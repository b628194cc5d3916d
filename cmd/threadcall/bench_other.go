//go:build !unix

package main

import (
	"os"
	"syscall"
)

// ends are the signals that want an end.
var ends = []os.Signal{os.Interrupt, syscall.SIGTERM}
