package work

// How a function may give an int back: the companion article on allocations calls these stackIt, stackIt2 and stackIt3.
// None of them is inlined, or there would be no call to speak of.

//go:noinline
func byValue(x int) int { return 2 * x }

//go:noinline
func byReturnedPointer(x int) *int {
	doubled := 2 * x
	return &doubled
}

//go:noinline
func byPassedPointer(x *int) int { return 2 * *x }

// ByValue calls a function that returns an int, n times.
func ByValue(n int) {
	for i := range n {
		_ = byValue(i)
	}
}

// ByReturnedPointer calls a function that returns a pointer to an int, n times.
func ByReturnedPointer(n int) {
	for i := range n {
		_ = byReturnedPointer(i)
	}
}

// ByPassedPointer calls a function that is given a pointer to its caller's int, n times.
func ByPassedPointer(n int) {
	for i := range n {
		x := i
		_ = byPassedPointer(&x)
	}
}
