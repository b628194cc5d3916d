//go:build !unix

package main

import "time"

// blockThread sleeps: these systems have no common system call that blocks for a time.
func blockThread(d time.Duration) { time.Sleep(d) }
