//go:build !linux

package host

import "time"

// A task is a process of the machine.
type task struct{ pid int }

func (t task) String() string { return "" }

func (m Machine) sample() sample              { return sample{at: m.time()} }
func (m Machine) settings() map[string]string { return nil }
func (m Machine) tasks() map[int]task         { return nil }
func (m Machine) rivals() []task              { return nil }
func (m Machine) fastest() int                { return 0 }

func busiest(map[int]task, map[int]task, time.Duration) []string { return nil }
