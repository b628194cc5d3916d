//go:build !linux

package park

import "time"

// CanSleep is false: on this system a thread sleeps in the Go scheduler only.
func CanSleep() bool { return false }

// A Sleeper is never slept in here.
type Sleeper struct{}

func (*Sleeper) Arm()                {}
func (*Sleeper) Sleep(time.Duration) {}
func (*Sleeper) Wake()               {}
