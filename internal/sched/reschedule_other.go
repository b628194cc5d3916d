//go:build !unix

package sched

func Reschedule(all bool) bool { return false }
func Passing() bool            { return false }
func EndPass()                 {}
