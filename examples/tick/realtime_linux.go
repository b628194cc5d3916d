package main

import (
	"fmt"
	"syscall"
	"unsafe"
)

// setRealtime has the kernel run the calling thread before all that have no real-time priority, or
// a lower one.
func setRealtime(priority int) error {
	const roundRobin = 2 // SCHED_RR
	param := int32(priority)
	_, _, errno := syscall.Syscall(syscall.SYS_SCHED_SETSCHEDULER, 0, roundRobin,
		uintptr(unsafe.Pointer(&param)))
	if errno != 0 {
		return fmt.Errorf("real-time priority %d: %w", priority, errno)
	}
	return nil
}
