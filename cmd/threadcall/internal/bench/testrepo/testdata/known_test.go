package known

import (
	"strconv"
	"testing"
)

var (
	result uint64
	kept   [3]*[64]byte
)

func BenchmarkSame(b *testing.B) {
	for range b.N {
		result += Work(1000)
	}
}

// BenchmarkSlower does a tenth more work in the new revision.
func BenchmarkSlower(b *testing.B) {
	for range b.N {
		result += Work(slower)
	}
}

// BenchmarkTwin has the same difference within one revision.
func BenchmarkTwin(b *testing.B) {
	for _, n := range []int{1000, 1100} {
		b.Run("work="+strconv.Itoa(n), func(b *testing.B) {
			for range b.N {
				result += Work(n)
			}
		})
	}
}

// BenchmarkAllocates allocates 64 bytes twice, and three times in the new revision.
func BenchmarkAllocates(b *testing.B) {
	for range b.N {
		for i := range allocations {
			kept[i] = new([64]byte)
		}
	}
}

func BenchmarkMetric(b *testing.B) {
	for range b.N {
		result += Work(100)
	}
	b.ReportMetric(float64(slower), "work/op")
}

func BenchmarkPanics(b *testing.B) {
	for range b.N {
		panic("it always does")
	}
}

func BenchmarkFails(b *testing.B) {
	b.Fatal("it always does")
}
