//go:build !linux

package clock

import "time"

// shared is empty: an Alarm has a timer of its own.
type shared struct{}

func (shared) share(time.Duration) bool { return false }

func (shared) unshare() {}
