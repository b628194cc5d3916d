package thread_test

import "testing"

// BenchmarkThread has each way to have a function run, by itself, for threadcall allocs to find what allocates. What they cost
// next to other designs is measured in internal/bench.
func BenchmarkThread(b *testing.B) {
	for name, f := range uses(b) {
		b.Run(name, func(b *testing.B) {
			f() // what is made the first time
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
