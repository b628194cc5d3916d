package thread_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// evaluates checks that want comes back from a thread and from a pool as it is.
func evaluates[T any](t *testing.T, th *thread.Thread, p *thread.Pool, want T) {
	t.Helper()
	f := func() T { return want }
	for range 3 { // the same records are used again
		inPool, err := thread.EvalContext(t.Context(), p, f)
		for _, got := range []T{thread.MustEval(th, f), inPool,
			thread.MustEval(th, func() T { return thread.MustEval(th, f) })} {
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("the result is %#v, %v, want %#v", got, err, want)
			}
		}
	}
}

func TestEval_returnsTheResultAsItIs(t *testing.T) {
	th, p := start(t), startPool(t, 2)
	evaluates(t, th, p, 42)
	evaluates(t, th, p, strings.Repeat("long text ", 10_000))
	evaluates(t, th, p, &point{1, 2})
	evaluates(t, th, p, []string(nil))
	evaluates(t, th, p, [1000]int{999: 1})
	evaluates(t, th, p, struct{}{})
	evaluates[error](t, th, p, nil)
	evaluates[any](t, th, p, nil)
}

// A caller is a Caller that is neither a Thread nor a Pool.
type caller struct{ thread.Caller }

// MustCall and MustEval panic with an error that names the thread.
func TestMustEval_panicsWithTheNameOfTheThread(t *testing.T) {
	th, p := start(t, thread.WithName("gl")), startPool(t, 1)
	if n := thread.MustEval(caller{th}, func() int { return 42 }); n != 42 {
		t.Errorf("of a Caller, MustEval returned %d", n)
	}
	th.Terminate()
	p.Terminate()
	one := func() int { return 1 }
	for want, f := range map[string]func(){
		`MustCall on thread "gl"`:          func() { th.MustCall(nop) },
		`MustEval on thread "gl"`:          func() { thread.MustEval(th, one) },
		"MustCall on a *thread.Pool":       func() { p.MustCall(nop) },
		"MustEval on a *thread.Pool":       func() { thread.MustEval(p, one) },
		"MustEval on a thread_test.caller": func() { thread.MustEval(caller{th}, one) },
	} {
		if err, _ := recovered(f).(error); !errors.Is(err, thread.ErrTerminated) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("it panics with %v, want %q", err, want)
		}
	}
}

type point struct{ x, y int }

func (p *point) move(dx, dy int) { p.x, p.y = p.x+dx, p.y+dy }

// A bound function takes its arguments to the thread and brings its results back.
func TestBind_carriesArgumentsAndResults(t *testing.T) {
	th := start(t)
	var got string
	note := func(args ...any) string {
		if got = fmt.Sprint(args...); !th.On() {
			t.Errorf("the function with %s runs off the thread", got)
		}
		return got
	}
	for name, c := range map[string]struct{ returned, want string }{
		"1V": {thread.Bind1V(th, func(a int) string { return note(a) })(1), "1"},
		"2V": {thread.Bind2V(th, func(a, b int) string { return note(a, b) })(1, 2), "1 2"},
		"3V": {thread.Bind3V(th, func(a, b, c int) string { return note(a, b, c) })(1, 2, 3), "1 2 3"},
	} {
		if c.returned != c.want {
			t.Errorf("Bind%s: the function returned %q, want %q", name, c.returned, c.want)
		}
	}
	if thread.Bind1(th, func(a int) { note(a) })(1); got != "1" {
		t.Errorf("Bind1: the function had %s", got)
	}
	if thread.Bind2(th, func(a int, b string) { note(a, b) })(1, "b"); got != "1b" {
		t.Errorf("Bind2: the function had %s", got)
	}
	p := &point{1, 1}
	if thread.Bind3(th, (*point).move)(p, 2, 3); *p != (point{3, 4}) {
		t.Errorf("Bind3: a method has left %v", *p)
	}
}

// A function that does not run because the thread is terminated returns zero values, and that error
// where there is one.
func TestBind_returnsErrTerminated(t *testing.T) {
	th := start(t)
	ran := false
	width := thread.Bind1V(th, func(int) int { ran = true; return 1 })
	save := thread.Bind1V(th, func(string) error { ran = true; return nil })
	busy := occupy(t, th.Go)
	queued := make(chan error)
	go func() { queued <- save("queued") }()
	th.Terminate()
	for _, err := range []error{<-queued, save("later")} {
		if err != thread.ErrTerminated || width(1) != 0 || ran {
			t.Errorf("the error is %v; the function ran: %v", err, ran)
		}
	}
	busy.Open()
}

func TestBind_panicsForANilThread(t *testing.T) {
	mustPanic(t, func() { thread.Bind1(nil, func(int) {}) }, "thread.New")
}
