package main

import (
	"strconv"
	"strings"
	"syscall"
	"time"
)

// systemTime is what /proc/stat says, in hundredths of a second.
func systemTime() (t busyTime, ok bool) {
	fields := strings.Fields(readFirstLine("/proc/stat"))
	if len(fields) < 9 || fields[0] != "cpu" {
		return t, false
	}
	number := func(i int) time.Duration {
		n, _ := strconv.ParseInt(fields[i], 10, 64)
		return time.Duration(n) * time.Second / 100
	}
	t.busy = number(1) + number(2) + number(3) + number(6) + number(7) // user, nice, system and interrupts
	t.stolen = number(8)
	return t, true
}

func childTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func loadAverage() string {
	if fields := strings.Fields(readFirstLine("/proc/loadavg")); len(fields) > 0 {
		return fields[0]
	}
	return ""
}
