// Package subject has the functions that the articles of the lab measure, in a package of their own
// so that the compiler can be asked about them. None is inlined, so that each has a stack frame.
package subject

import _ "embed"

// Source is the source of this package. The lines of the compiler's messages are lines of it.
//
//go:embed subject.go
var Source string

// Value returns a copy of its result.
//
//go:noinline
func Value() int {
	y := 2
	return y * 2
}

// Up returns a pointer to its result.
//
//go:noinline
func Up() *int {
	y := 2
	res := y * 2
	return &res
}

// Down takes a pointer.
//
//go:noinline
func Down(y *int) int {
	res := *y * 2
	return res
}

// Values calls Value n times.
func Values(n int) {
	for range n {
		_ = Value()
	}
}

// Ups calls Up n times.
func Ups(n int) {
	for range n {
		_ = Up()
	}
}

// Downs calls Down n times.
func Downs(n int) {
	for range n {
		y := 2
		_ = Down(&y)
	}
}

// Nine has nine fields and 75 bytes, for which the allocator takes 80.
type Nine struct {
	I, J, K int
	S, T, U string
	X, Y, Z bool
}

// Copied returns a struct.
//
//go:noinline
func Copied() Nine { return Nine{1, 2, 3, "one", "two", "three", true, false, true} }

// Pointed returns a pointer to a struct.
//
//go:noinline
func Pointed() *Nine { return &Nine{1, 2, 3, "one", "two", "three", true, false, true} }

// Copies calls Copied n times.
func Copies(n int) {
	for range n {
		_ = Copied()
	}
}

// Pointers calls Pointed n times.
func Pointers(n int) {
	for range n {
		_ = Pointed()
	}
}

var (
	done  = make(chan struct{})
	queue = make(chan func(), 1)
)

// Send sends a function literal on a channel, from which it then takes it.
//
//go:noinline
func Send(f func()) {
	done := done
	queue <- func() {
		f()
		done <- struct{}{}
	}
	<-queue
}

// InPlace calls a function literal in place.
//
//go:noinline
func InPlace(f func()) {
	done := done
	call(func() { f(); _ = done })
}

//go:noinline
func call(f func()) { f() }

// Channel makes a channel that is used after it returns.
//
//go:noinline
func Channel() { done = make(chan struct{}) }
