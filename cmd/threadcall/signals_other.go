//go:build !unix

package main

import (
	"os"
	"syscall"
)

// ends returns the signals that want an end.
func ends() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// unread is the signal that nobody reads any more what the process writes, which there is not here.
var unread os.Signal
