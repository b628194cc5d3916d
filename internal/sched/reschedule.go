// Package sched has what the Go scheduler does not offer: its load, and a yield that polls the
// network.
package sched

import "time"

// maxPass is for how long Reschedule waits for EndPass at most.
const maxPass = time.Millisecond

// Reschedule lets the Go scheduler run what waits for the caller's P: goroutines, timers that are
// due, and what the network has made ready. After runtime.Gosched the scheduler finds the caller
// again before it polls the network. So the caller waits for a pipe to which it has written, and
// the P polls the network to find it. That takes 1 µs on Linux. Reschedule is false, and does
// nothing, where there is no such pipe or another goroutine waits for it.
//
// If all is true, the caller's P, if it has nothing else to run, also takes work of other Ps. That
// takes 5 to 30 µs. Reschedule then returns after EndPass, which a thread whose P is busy calls
// once Passing is true, or after 1 ms.
func Reschedule(all bool) bool { return pass(all) }
