// Package allocations has three ways to return a number and two to create a struct, of which two
// allocate. README.md shows what package testing and the command threadcall report about them.
package allocations

// Value returns a copy of its variable.
//
//go:noinline
func Value(n int) int {
	res := 2 * n
	return res
}

// Address returns the address of its variable.
//
//go:noinline
func Address(n int) *int {
	res := 2 * n
	return &res
}

// Parameter writes to the caller's variable.
//
//go:noinline
func Parameter(n int, res *int) {
	*res = 2 * n
}

// A Struct has nine fields and 75 bytes, in a size class of 80.
type Struct struct {
	A, B, C int
	D, E, F string
	G, H, I bool
}

// Copy creates a Struct and returns a copy.
//
//go:noinline
func Copy() Struct {
	return Struct{1, 2, 3, "one", "two", "three", true, false, true}
}

// Pointer creates a Struct and returns its address.
//
//go:noinline
func Pointer() *Struct {
	return &Struct{1, 2, 3, "one", "two", "three", true, false, true}
}
