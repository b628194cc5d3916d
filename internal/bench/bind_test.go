package bench

import (
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// A function with arguments and a result: bound, in a closure that captures them, and in such a closure on the reference's
// channel.
func BenchmarkBind(b *testing.B) {
	for _, w := range []way{
		{name: "thread", open: func() (Subject, func()) {
			t := thread.New()
			return withArguments{t, thread.Bind2V(t, add)}, t.Terminate
		}},
		{name: "closure", open: func() (Subject, func()) {
			t := thread.New()
			return withArguments{t, capturing(t)}, t.Terminate
		}},
		{name: "reference", open: func() (Subject, func()) {
			d := Struct()
			return withArguments{d, capturing(d)}, OnThread(d)
		}},
	} {
		measure(b, w, Hot)
	}
}

//go:noinline
func add(p *int, n int) int {
	*p += n
	return *p
}

// capturing returns add on the thread of s, as it is written without Bind.
func capturing(s Subject) func(p *int, n int) int {
	return func(p *int, n int) (sum int) {
		s.Call(func() { sum = add(p, n) })
		return sum
	}
}

// withArguments calls a function with arguments in place of what it is given.
type withArguments struct {
	Subject
	f func(p *int, n int) int
}

var total int

func (w withArguments) Call(func()) bool { return w.f(&total, 1) != 0 }
