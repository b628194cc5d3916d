//go:build !unix

package sched

func Reschedule(all bool) bool { return false }
func EndPass() bool            { return false }
