//go:build !linux

package measure

import "time"

type system struct{}

func thisSystem() system { return system{} }

func (system) counters() counters { return counters{at: time.Now()} }
