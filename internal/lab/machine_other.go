//go:build !linux

package main

import "time"

// systemTime is not known.
func systemTime() (busyTime, bool) { return busyTime{}, false }

func childTime() time.Duration { return 0 }

func loadAverage() string { return "" }
