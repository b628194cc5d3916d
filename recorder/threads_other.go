//go:build !linux

package recorder

func nameThreads() {}
