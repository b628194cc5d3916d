package park

import "time"

// maxPass is for how long RescheduleAll waits at most.
const maxPass = time.Millisecond

// Reschedule lets the Go scheduler run what waits for the caller's P: goroutines, timers that are
// due, and what the network has made ready. runtime.Gosched does not poll the network, because it
// finds the caller first. So the caller waits for a pipe, to which it writes itself: the P finds it
// by polling the network. That takes 1 µs on Linux. It is false, and nothing was done, where there
// is no such pipe or another goroutine waits for it.
func Reschedule() bool { return pass(false) }

// RescheduleAll is Reschedule, and lets the caller's P, if it has nothing else to run, take what
// waits for other Ps as well. That takes 20 µs. It returns after EndPass, which a thread whose P is
// busy calls when Passing has been true for long enough to park a goroutine, or after 1 ms.
func RescheduleAll() bool { return pass(true) }
