// Package known has benchmarks whose differences are known.
package known

// Work does the same few instructions n times. Each needs the result of the one before.
//
//go:noinline
func Work(n int) uint64 {
	x := uint64(n) | 1
	for range n {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
	}
	return x
}
