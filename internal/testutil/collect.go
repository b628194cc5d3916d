package testutil

import (
	"os"
	"runtime"
)

// Collecting is whether THREADCALL_COLLECT has tests keep the garbage collector running.
var Collecting = os.Getenv("THREADCALL_COLLECT") != ""

// Collect keeps the garbage collector running if Collecting.
func Collect() {
	for Collecting {
		runtime.GC()
	}
}
