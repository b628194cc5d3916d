// Command threadcall shows what package threadcall does on the machine at hand, and measures and looks into any Go
// program: whether a change made it faster (bench), which thread runs what (trace), and what allocates (allocs).
package main

import (
	"os"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine/cpufreq"
	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	cpufreq.MaybeWatchdog()
	mainthread.Init(func() {
		// Not by way of Init: it has no status to give, and would wait for a function that hangs on the main thread.
		os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
	})
}
