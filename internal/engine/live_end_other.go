//go:build !freebsd && !openbsd

package engine

// endsThread is whether a goroutine that ends while it is locked to its thread may take the thread
// with it.
const endsThread = true
