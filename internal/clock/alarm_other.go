//go:build !linux

package clock

import "time"

// A timerfd does nothing: there are the timers of Go alone.
type timerfd struct{}

func (timerfd) set(time.Duration, func()) {}

func (timerfd) stop() {}
