package main

import "time"

// blockThread sleeps: JavaScript has no system call that blocks, and its only thread must not.
func blockThread(d time.Duration) { time.Sleep(d) }
