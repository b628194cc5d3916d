package callq

import (
	"testing"
	"unsafe"
)

// A lone call travels in one cache line. The allocator aligns objects of this size so; larger ones that have pointers begin
// eight bytes later, after a header of its own.
func TestHeadAndTheFirstRecordShareACacheLine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("there is more room with pointers of four bytes")
	}
	for range 100 {
		q := New()
		begin, end := uintptr(unsafe.Pointer(&q.head)), uintptr(unsafe.Pointer(&q.first.Ctx))
		if begin/64 != (end-1)/64 {
			t.Fatalf("a queue of %d bytes at %#x has them in two", unsafe.Sizeof(*q), begin)
		}
	}
}
