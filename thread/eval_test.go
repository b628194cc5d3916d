package thread_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/thread"
)

// evaluates checks that want comes back from a thread and from a pool as it is.
func evaluates[T any](t *testing.T, th *thread.Thread, p *thread.Pool, want T) {
	t.Helper()
	for range 3 { // the same records are used again
		if got := thread.Eval(th, func() T { return want }); !reflect.DeepEqual(got, want) {
			t.Errorf("Eval returned %#v, want %#v", got, want)
		}
		if got, err := thread.EvalContext(t.Context(), p, func() T { return want }); err != nil ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("EvalContext returned %#v, %v, want %#v", got, err, want)
		}
		th.Call(func() {
			if got := thread.Eval(th, func() T { return want }); !reflect.DeepEqual(got, want) {
				t.Errorf("nested, Eval returned %#v, want %#v", got, want)
			}
		})
	}
}

func TestEval(t *testing.T) {
	th, p := start(t), startPool(t, 2)
	type pair struct {
		a string
		b float64
	}
	type generic[T any] struct{ v T }
	n := 5
	evaluates(t, th, p, 42)
	evaluates(t, th, p, strings.Repeat("long text ", 10_000))
	evaluates(t, th, p, pair{"a", 1})
	evaluates(t, th, p, generic[pair]{pair{"b", 2}})
	evaluates(t, th, p, &n)
	evaluates(t, th, p, []string(nil))
	evaluates(t, th, p, [1000]int{999: 1})
	evaluates(t, th, p, struct{}{})
	evaluates[error](t, th, p, nil)
	evaluates[any](t, th, p, nil)
}

// A caller is a Caller that is neither a Thread nor a Pool.
type caller struct{ thread.Caller }

// MustCall and MustEval panic with an error that names the thread.
func TestMustEval(t *testing.T) {
	th, p := start(t, thread.WithName("gl")), startPool(t, 1)
	if n := thread.MustEval(caller{th}, func() int { return 42 }); n != 42 {
		t.Errorf("of a Caller, MustEval returned %d", n)
	}
	th.Terminate()
	p.Terminate()
	one := func() int { return 1 }
	for want, f := range map[string]func(){
		`MustCall on thread "gl"`: func() { th.MustCall(nop) },
		`MustEval on thread "gl"`: func() { thread.MustEval(th, one) },
		"MustCall on a pool":      func() { p.MustCall(nop) },
		"MustEval on a pool":      func() { thread.MustEval(p, one) },
		"MustEval: ":              func() { thread.MustEval(caller{th}, one) },
	} {
		if err, _ := recovered(f).(error); !errors.Is(err, thread.ErrTerminated) ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("it panics with %v, want %q", err, want)
		}
	}
	mustPanic(t, func() { thread.MustEval[int](caller{p}, nil) }, "MustEval: ")
}

type point struct{ x, y int }

func (p *point) move(dx, dy int) { p.x, p.y = p.x+dx, p.y+dy }

// A bound function takes its arguments to the thread and brings its results back.
func TestBind(t *testing.T) {
	th := start(t)
	var got string
	note := func(args ...any) string {
		if got = fmt.Sprint(args...); !th.On() {
			t.Errorf("the function with %s runs off the thread", got)
		}
		return got
	}
	for _, c := range []struct {
		name  string
		call  func() string // what it returned
		given string
		want  string
	}{
		{"1", func() string { thread.Bind1(th, func(a int) { note(a) })(1); return "" }, "1", ""},
		{"2", func() string { thread.Bind2(th, func(a int, b string) { note(a, b) })(1, "b"); return "" },
			"1b", ""},
		{"3", func() string {
			thread.Bind3(th, func(a int, b string, c point) { note(a, b, c) })(1, "b", point{2, 3})
			return ""
		}, "1b{2 3}", ""},
		{"1V", func() string { return thread.Bind1V(th, func(a int) string { return note(a) })(1) }, "1",
			"1"},
		{"2V", func() string {
			return thread.Bind2V(th, func(a, b int) string { return note(a, b) })(1, 2)
		}, "1 2", "1 2"},
		{"3V", func() string {
			return thread.Bind3V(th, func(a, b, c int) string {
				return note(a, b, c)
			})(1, 2, 3)
		}, "1 2 3", "1 2 3"},
	} {
		if returned := c.call(); returned != c.want || got != c.given {
			t.Errorf("Bind%s: the function had %q and returned %q, want %q and %q", c.name, got, returned,
				c.given, c.want)
		}
	}
	p := &point{1, 1}
	if thread.Bind3(th, (*point).move)(p, 2, 3); *p != (point{3, 4}) {
		t.Errorf("a method has left %v", *p)
	}
}

// A function that does not run because the thread is terminated returns zero values, and that error
// where there is one.
func TestBind_terminated(t *testing.T) {
	th := thread.New()
	ran := false
	setTitle := thread.Bind1(th, func(string) { ran = true })
	width := thread.Bind1V(th, func(int) int { ran = true; return 1 })
	save := thread.Bind1V(th, func(string) error { ran = true; return nil })
	check := func(when string) {
		t.Helper()
		setTitle("title")
		if w := width(1); w != 0 {
			t.Errorf("%s: the result is %d", when, w)
		}
		if err := save("file"); err != thread.ErrTerminated {
			t.Errorf("%s: the error is %v", when, err)
		}
	}
	busy := occupy(t, th.Go)
	queued := make(chan error)
	go func() { queued <- save("queued") }()
	th.Terminate()
	if err := <-queued; err != thread.ErrTerminated {
		t.Errorf("queued, the error is %v", err)
	}
	check("while a function runs")
	busy.Open()
	<-th.Done()
	if check("after the end"); ran {
		t.Error("a function ran")
	}
}

func TestBind_nil(t *testing.T) {
	th := start(t)
	mustPanic(t, func() { thread.Bind1[int](th, nil) }, "give it the function")
	mustPanic(t, func() { thread.Bind3V[int, int, int, error](th, nil) }, "give it the function")
	mustPanic(t, func() { thread.Bind1(nil, func(int) {}) }, "thread.New")
}

// A bound function keeps its Thread alive, and nothing else does.
func TestBind_keeps(t *testing.T) {
	th := thread.New()
	handle, done := weak.Make(th), th.Done()
	on := thread.Bind1V(th, func(*int) bool { return true })
	th = nil
	for range 3 {
		runtime.GC()
		if !on(nil) {
			t.Fatal("the function did not run")
		}
	}
	on = nil
	collected(t, handle, "the Thread")
	eventually(t, func() bool { return collectedAndEnded(done) }, "the thread ends")
}
