package main

import (
	"time"

	"golang.org/x/sys/windows"
)

// blockThread is in a system call for about d.
func blockThread(d time.Duration) { windows.SleepEx(uint32(d.Milliseconds()), false) }
