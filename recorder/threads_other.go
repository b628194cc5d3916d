//go:build !linux

package recorder

func nameThreads(map[string]bool) {}

func watchThreads() (stop func()) { return func() {} }
