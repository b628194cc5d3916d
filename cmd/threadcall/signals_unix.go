//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// ends returns the signals that want an end. Under nohup the end of the terminal does not.
func ends() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// unread is the signal that nobody reads any more what the process writes.
var unread os.Signal = syscall.SIGPIPE
