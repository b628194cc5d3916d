//go:build !linux

package machine

import "time"

type system struct{}

func thisSystem() system { return system{} }

func (system) counters() counters { return counters{at: time.Now()} }

func (system) quota() (cpus float64, limited bool) { return 0, false }
