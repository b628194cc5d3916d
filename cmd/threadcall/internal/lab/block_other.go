//go:build !unix

package main

import "time"

// blockThread sleeps: here is no system call that blocks for a time, on all of these systems.
func blockThread(d time.Duration) { time.Sleep(d) }
