// Package check makes calls as the goroutines of a program would, and counts the wrong ones.
package check

import (
	"fmt"
	"sync"
	"sync/atomic"
)

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
