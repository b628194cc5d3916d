package main

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"time"
)

var epoch = time.Now()

// otherPrograms returns for how long all cores together have computed since epoch, or were taken by a hypervisor,
// without what this process and its children computed; false if nobody can tell. Only differences mean something.
func otherPrograms() (time.Duration, bool) {
	stat, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, false
	}
	var user, nice, system, idle, wait int64 // in ticks of 10 ms; the first three are only sampled
	if _, err := fmt.Fscan(bytes.NewReader(stat), new(string), &user, &nice, &system, &idle, &wait); err != nil {
		return 0, false
	}
	d := time.Since(epoch)*time.Duration(runtime.NumCPU()) - time.Duration(idle+wait)*10*time.Millisecond
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			return 0, false
		}
		d -= time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	return d, true
}
