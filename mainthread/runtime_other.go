//go:build !linux

package mainthread

// onMainThread reports whether the caller is on the main thread of the process, if that is known.
func onMainThread() (on, known bool) { return false, false }
