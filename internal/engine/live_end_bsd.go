//go:build freebsd || openbsd

package engine

// endsThread is false: on FreeBSD and OpenBSD a goroutine that ends while it is locked to its
// thread can crash the runtime (golang/go#52394, open), so the thread goes back to the scheduler
// instead.
const endsThread = false
