//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// blockThread is in a system call for about d.
func blockThread(d time.Duration) { _, _ = unix.Poll(nil, int(d.Milliseconds())) }
