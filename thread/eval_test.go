package thread_test

import (
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
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
	mustPanic(t, func() { thread.BindGo1(nil, func(int) {}) }, "thread.New")
}

// A function of BindGo is queued as Go queues it: in order, within the limit, with a copy of the
// arguments, and not at all when the thread has ended.
func TestBindGo_postsWithArguments(t *testing.T) {
	th := start(t, thread.WithQueueLimit(3))
	var got []string
	one := thread.BindGo1(th, func(a int) { got = append(got, fmt.Sprint(a, th.On())) })
	two := thread.BindGo2(th, func(a int, b string) { got = append(got, fmt.Sprint(a, b)) })
	three := thread.BindGo3(th, (*point).move)
	p := &point{1, 1}
	busy := occupy(t, th.Go)
	if !one(1) || !two(2, "b") || !three(p, 2, 3) {
		t.Error("a post returned false")
	}
	fourth := make(chan bool)
	th.Stats() // which counts from now on
	go func() { fourth <- one(4) }()
	eventually(t, func() bool { return th.Stats().Queued == 4 }, "the fourth waits for a place")
	busy.Open()
	if !testutil.Arrives(t, fourth) {
		t.Error("the fourth post returned false")
	}
	th.Call(func() { one(5) }) // behind the call
	th.Call(nop)
	if want := []string{"1 true", "2b", "4 true", "5 true"}; !slices.Equal(got, want) ||
		*p != (point{3, 4}) {
		t.Errorf("ran %q, moved to %v", got, *p)
	}
	th.Terminate()
	if th.Call(nop); one(6) || two(7, "") || thread.BindGo1[int](start(t), nil)(8) || len(got) != 4 {
		t.Errorf("a post to a thread that has ended, or of nil, returned true; ran %q", got)
	}
}

// Many goroutines post at once, to several threads that lend no record to each other.
func TestBindGo_keepsArgumentsApart(t *testing.T) {
	th, other := start(t), start(t)
	const posters = 4
	var last [2][posters]int
	note := func(on int) func(poster, n, again int) bool {
		to := []*thread.Thread{th, other}[on]
		return thread.BindGo3(to, func(poster, n, again int) {
			if !to.On() || n != last[on][poster]+1 || again != n {
				t.Errorf("poster %d, after %d: %d, %d", poster, last[on][poster], n, again)
			}
			last[on][poster] = n
		})
	}
	posts := []func(poster, n, again int) bool{note(0), note(1)}
	var all testutil.Group
	for poster := range posters {
		all.Go(func() {
			for n := 1; n <= scaled(2000); n++ {
				posts[0](poster, n, n)
				posts[1](poster, n, n)
			}
		})
	}
	all.Wait()
	th.Call(nop)
	other.Call(nop)
	if want := scaled(2000); last[0] != last[1] || last[0][0] != want {
		t.Errorf("ran %v, want %d each", last, want)
	}
}

func TestBindGo_letsGoOfArguments(t *testing.T) {
	keepsNoThread(t, thread.BindGo1[bool])
	th := start(t)
	run := thread.BindGo1(th, func(f func()) { f() })
	captured(t, "an argument", func(f func()) { run(f); th.Call(nop) })
	captured(t, "an argument of a Goexit",
		func(f func()) { run(func() { f(); runtime.Goexit() }); th.Call(nop) })
	busy := occupy(t, th.Go)
	captured(t, "an argument of a function that was queued at the end",
		func(f func()) { run(f); th.Terminate() })
	captured(t, "an argument that was refused", func(f func()) { run(f) })
	busy.Open()
	runtime.KeepAlive(run)
}
