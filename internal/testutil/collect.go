package testutil

import (
	"os"
	"runtime"
)

// Collecting reports whether the variable THREADCALL_COLLECT of the environment has a value. Then
// tests keep the garbage collector running all the time.
var Collecting = os.Getenv("THREADCALL_COLLECT") != ""

// Collect keeps the garbage collector running if Collecting.
func Collect() {
	for Collecting {
		runtime.GC()
	}
}
