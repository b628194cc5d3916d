// Package check makes calls as the goroutines of a program would, and counts the wrong ones.
package check

import (
	"flag"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Window parses the flags of a program with a window, -d among them. The program calls stay when it
// has been checked, on a goroutine that does not need the window's thread.
func Window() (stay func()) {
	d := flag.Duration("d", 0, "leave the window open for this `time`")
	flag.Parse()
	return func() { time.Sleep(*d) }
}

// Calls makes 100 calls on each of 8 goroutines, prints how many returned false, and reports
// whether none did.
func Calls(name string, call func() bool) bool {
	var wrong atomic.Int64
	var callers sync.WaitGroup
	for range 8 {
		callers.Go(func() {
			for range 100 {
				if !call() {
					wrong.Add(1)
				}
			}
		})
	}
	callers.Wait()
	fmt.Printf("%s: 800 calls, %d of them wrong\n", name, wrong.Load())
	return wrong.Load() == 0
}
