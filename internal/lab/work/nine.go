package work

// nine has nine fields and 75 bytes, for which the allocator takes 80.
type nine struct {
	i, j, k int
	s, t, u string
	x, y, z bool
}

//go:noinline
func copied() nine { return nine{1, 2, 3, "one", "two", "three", true, false, true} }

//go:noinline
func pointed() *nine { return &nine{1, 2, 3, "one", "two", "three", true, false, true} }

// Copied makes a struct of nine fields and returns a copy, n times.
func Copied(n int) {
	for range n {
		_ = copied()
	}
}

// Pointed makes a struct of nine fields and returns a pointer to it, n times.
func Pointed(n int) {
	for range n {
		_ = pointed()
	}
}
