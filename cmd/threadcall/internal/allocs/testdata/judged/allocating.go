// Package judged has functions that promise not to allocate. Those in this file do, some for large arguments only, and are
// not inlined, so that a constant argument changes nothing.
package judged

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

var (
	anything any
	bytes    []byte
	text     string
	number   *int32
	function func()
	table    map[string]int
	err      error
	channel  chan int
)

type pair struct{ a, b int }

func (p *pair) add() { p.a += p.b }

type large struct{ bytes [1100]byte }

//go:noinline
func use[T any](v T) T { return v }

//go:noinline
func isNil(v any) bool { return v == nil }

//go:noinline
//threadcall:noalloc
func toBytes(s string) int { return len(use2([]byte(s))) }

//go:noinline
func use2(b []byte) []byte { b[0]++; return b[:1] }

//go:noinline
//threadcall:noalloc
func join(a, b string) int { s := a + "/" + b; return measure(s) }

//go:noinline
func measure(s string) int { return len(s) }

//go:noinline
//threadcall:noalloc
func makeLocal(n int) int { s := make([]int, n); return sum(s) }

//go:noinline
func sum(s []int) (n int) {
	for _, v := range s {
		n += v
	}
	return n
}

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
func appendMade(n int) int {
	s := make([]int, 0, 4)
	for i := range n {
		s = append(s, i)
	}
	return sum(s)
}

//go:noinline
//threadcall:noalloc
func toString(b []byte) int { return measure(string(b)) }

//go:noinline
//threadcall:noalloc
func toRunes(s string) int { return len(useRunes([]rune(s))) }

//go:noinline
func useRunes(r []rune) []rune { r[0]++; return r[:1] }

//go:noinline
//threadcall:noalloc
func boxInt(n int) { anything = n }

//go:noinline
//threadcall:noalloc
func boxString(s string) { anything = s }

//go:noinline
//threadcall:noalloc
func boxLarge(v large) bool { return isNil(v) }

//go:noinline
//threadcall:noalloc
func boxGeneric[T any](v T) { anything = v }

//go:noinline
//threadcall:noalloc
func newTiny() { number = new(int32) }

//go:noinline
//threadcall:noalloc
func capture(n int) { function = func() { n++ } }

//go:noinline
//threadcall:noalloc
func methodValue(p *pair) { function = p.add }

//go:noinline
//threadcall:noalloc
func format(n int) { text = strconv.Itoa(n) }

//go:noinline
//threadcall:noalloc
func upper(s string) { text = strings.ToUpper(s) }

//go:noinline
//threadcall:noalloc
func callee(s string) int { return convert(s) }

//go:noinline
func convert(s string) int { return len(use2([]byte(s))) }

//go:noinline
//threadcall:noalloc
func copied(p []byte) { bytes = append([]byte(nil), p...) }

//go:noinline
//threadcall:noalloc
func fails(n int) {
	if n > 0 {
		err = errors.New("positive")
	}
}

//go:noinline
//threadcall:noalloc
func wraps(n int) { err = fmt.Errorf("%d: %w", n, err0) }

var err0 = errors.New("nothing")

//go:noinline
//threadcall:noalloc
func makeChannel() { channel = make(chan int) }

//go:noinline
//threadcall:noalloc
func literal() { table = map[string]int{"a": 1} }
