package thread_test

import (
	"fmt"
	"runtime"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

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
		{"2", func() string { thread.Bind2(th, func(a int, b string) { note(a, b) })(1, "b"); return "" }, "1b", ""},
		{"3", func() string {
			thread.Bind3(th, func(a int, b string, c point) { note(a, b, c) })(1, "b", point{2, 3})
			return ""
		}, "1b{2 3}", ""},
		{"1V", func() string { return thread.Bind1V(th, func(a int) string { return note(a) })(1) }, "1", "1"},
		{"2V", func() string { return thread.Bind2V(th, func(a, b int) string { return note(a, b) })(1, 2) }, "1 2", "1 2"},
		{"3V", func() string { return thread.Bind3V(th, func(a, b, c int) string { return note(a, b, c) })(1, 2, 3) }, "1 2 3", "1 2 3"},
	} {
		if returned := c.call(); returned != c.want || got != c.given {
			t.Errorf("Bind%s: the function had %q and returned %q, want %q and %q", c.name, got, returned, c.given, c.want)
		}
	}
	p := &point{1, 1}
	if thread.Bind3(th, (*point).move)(p, 2, 3); *p != (point{3, 4}) {
		t.Errorf("a method has left %v", *p)
	}
}

// Calls at the same time do not mix what they carry, and those that follow a panic find it gone.
func TestBind_many(t *testing.T) {
	th := start(t)
	type large [40]int
	f := thread.Bind3V(th, func(a int, b large, c string) string {
		if c == "panic" {
			panic(c)
		}
		return fmt.Sprint(a, b[39], c)
	})
	ends(t, func() {
		var all group.Group
		for i := range 8 {
			all.Go(func() {
				for k := range scaled(2000) {
					if k%100 == 0 {
						recovered(func() { f(-1, large{-1}, "panic") })
					}
					s := f(i, large{39: k}, "c")
					if want := fmt.Sprint(i, k, "c"); s != want {
						t.Errorf("it returned %q, want %q", s, want)
						return
					}
				}
			})
		}
		all.Wait()
	})
}

// A function that does not run because the thread is terminated returns zero values, and that error where there is one.
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

// What travels is let go of, however the call ends.
func TestBind_letGo(t *testing.T) {
	th, ending := start(t), thread.New()
	f := thread.Bind1V(th, func(run func()) *large { run(); return nil })
	end := thread.Bind1V(ending, func(run func()) *large { run(); return nil })
	for name, use := range map[string]func(run func()){
		"an argument":               func(run func()) { f(run) },
		"an argument in place":      func(run func()) { th.Call(func() { f(run) }) },
		"an argument of a panic":    func(run func()) { recovered(func() { f(func() { run(); panic("boom") }) }) },
		"an argument of a Goexit":   func(run func()) { exits(t, func() { f(func() { run(); runtime.Goexit() }) }) },
		"an argument of what ended": func(run func()) { ending.Terminate(); end(run) },
	} {
		captured(t, name, use)
	}
	collected(t, weak.Make(thread.Bind1V(th, func(int) *large { return new(large) })(1)), "a result")
	runtime.KeepAlive(f)
	runtime.KeepAlive(end)
}
