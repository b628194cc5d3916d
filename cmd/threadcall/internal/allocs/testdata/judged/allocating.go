// Package judged has functions that promise not to allocate. Those in this file do, some for large
// arguments only. They are not inlined, so that a constant argument changes nothing.
package judged

import (
	"fmt"
	"strconv"
)

var (
	anything any
	text     string
	number   *int32
	function func()
	err      error
	channel  chan int
)

type pair struct{ a, b int }

type large struct{ bytes [1100]byte }

//go:noinline
func isNil(v any) bool { return v == nil }

//go:noinline
func use(b []byte) []byte { b[0]++; return b[:1] }

//go:noinline
func measure(s string) int { return len(s) }

//go:noinline
func sum(s []int) (n int) {
	for _, v := range s {
		n += v
	}
	return n
}

//go:noinline
//threadcall:noalloc
func toBytes(s string) int { return len(use([]byte(s))) }

//go:noinline
//threadcall:noalloc
func join(a, b string) int { s := a + "/" + b; return measure(s) }

//go:noinline
//threadcall:noalloc
func makeLocal(n int) int { s := make([]int, n); return sum(s) }

//go:noinline
//threadcall:noalloc
func localMap(n int) int {
	m := map[int]int{}
	for i := range n {
		m[i] = i
	}
	return len(m)
}

//go:noinline
//threadcall:noalloc
func appendLocal(n int) int {
	var s []int
	for i := range n {
		s = append(s, i)
	}
	return sum(s)
}

//go:noinline
//threadcall:noalloc
func boxInt(n int) { anything = n }

//go:noinline
//threadcall:noalloc
func boxLarge(v large) bool { return isNil(v) }

//go:noinline
//threadcall:noalloc
func newTiny() { number = new(int32) }

//go:noinline
//threadcall:noalloc
func capture(n int) { function = func() { n++ } }

//go:noinline
//threadcall:noalloc
func (p pair) moved() { anything = &p }

//go:noinline
//threadcall:noalloc
func inlines(n int) { anything = pointer(n) }

func pointer(n int) *int { return &n }

//go:noinline
//threadcall:noalloc
func format(n int) { text = strconv.Itoa(n) }

//go:noinline
//threadcall:noalloc
func callee(s string) int { return convert(s) }

//go:noinline
func convert(s string) int { return len(use([]byte(s))) }

//go:noinline
//threadcall:noalloc
func wraps(n int) {
	if n > 0 {
		err = fmt.Errorf("%d", n)
	}
}

//go:noinline
//threadcall:noalloc
func makeChannel() { channel = make(chan int) }
