package thread_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

type custom struct {
	code int
	why  string
}

var errBoom = errors.New("boom")

type panicking struct {
	name string
	f    func()
	ok   func(v any) bool
}

// panics are functions that panic, and what recover finds.
var panics = []panicking{
	{"string", func() { panic("boom") }, func(v any) bool { return v == "boom" }},
	{"error", func() { panic(errBoom) }, func(v any) bool { return v == errBoom }},
	{"struct", func() { panic(custom{7, "why"}) }, func(v any) bool { return v == custom{7, "why"} }},
	{"uncomparable", func() { panic([]int{1, 2}) }, func(v any) bool {
		s, ok := v.([]int)
		return ok && len(s) == 2
	}},
	{"nil", func() { panic(nil) }, func(v any) bool {
		_, ok := v.(*runtime.PanicNilError)
		return ok
	}},
	{"nil map", func() { nilMap()[1] = 2 }, isRuntimeError("nil map")},
	{"nil pointer", func() { var p *custom; p.code = 1 }, isRuntimeError("nil pointer")},
	{"division", func() { n := len(theCustom.why); n /= n }, isRuntimeError("divide by zero")},
	{"a second one", func() { defer func() { panic("second") }(); panic("first") },
		func(v any) bool { return v == "second" }},
}

func init() {
	if withoutFaultAddresses {
		panics = slices.DeleteFunc(panics, func(p panicking) bool { return p.name == "nil pointer" })
	}
}

var theCustom custom

func isRuntimeError(text string) func(v any) bool {
	return func(v any) bool {
		err, ok := v.(runtime.Error)
		return ok && strings.Contains(err.Error(), text)
	}
}

// checkStack fails the test if p does not come from deepest, or shows the engine.
func checkStack(t *testing.T, p *thread.PanicError) {
	t.Helper()
	first, rest, _ := strings.Cut(p.Stack(), "\n")
	if !strings.Contains(first, "thread_test.explode") || !strings.Contains(rest,
		"thread_test.deepest") ||
		!strings.Contains(rest, "panic_test.go:") || strings.Contains(functionsOf(p.Stack()),
		"internal/engine") {
		t.Errorf("the stack is\n%s", p.Stack())
	}
}

//go:noinline
func deepest() { explode("boom") }

//go:noinline
func explode(v any) { panic(v) }

// programs are what tests run in processes of their own.
var programs = map[string]func(){
	"a panic that is not recovered": func() {
		th := thread.New()
		defer fmt.Println("a deferred call of the caller")
		th.Call(deepest)
	},
	"a panic that nothing handles": func() {
		th := thread.New(thread.WithName("gl"))
		th.Go(deepest)
		th.GoContext(context.Background(), func() { panic(errBoom) })
		th.Go(runtime.Goexit)
		fmt.Println("lives on", th.Call(nop))
		p := thread.NewPool(1, thread.WithName("disk"), thread.WithStop(deepest))
		p.Close()
		fmt.Println(th.Stats().Panicked, p.Stats().Panicked)
		thread.Start(thread.WithStart(func() error { return errBoom })) // is returned
		failed := thread.New(thread.WithStart(func() error { return errBoom }))
		fmt.Println("a failed start", <-failed.Done())
		l := thread.Adopt(thread.WithName("host"))
		l.Thread().Go(deepest)
		fmt.Println("served", l.Serve(0))
	},
	"a panic handler that panics": func() {
		var th *thread.Thread
		th = thread.New(thread.WithPanicHandler(func(p *thread.PanicError) {
			fmt.Println("handled", p.Value, th.On(), th.Call(func() { explode("worse") }))
		}))
		th.Go(deepest)
		fmt.Println("lives on", th.Call(nop))
	},
	"panic(nil) as it used to be": func() {
		th := thread.New()
		panicked := true
		func() {
			defer func() { fmt.Println("recovered", recover(), "panicked", panicked) }()
			th.Call(func() { panic(nil) })
			panicked = false
		}()
		fmt.Println("lives on", th.Call(nop))
	},
	"many Goexits": func() {
		th, p := thread.New(thread.WithName("gl")), thread.NewPool(2, thread.WithName("disk"))
		for range 4000 {
			th.Go(runtime.Goexit)
		}
		for range 2999 {
			p.Go(runtime.Goexit)
		}
		th.Close()
		p.Close()
		fmt.Println(th.Stats().Goexits, p.Stats().Goexits)
	},
	"more threads than are allowed": func() {
		debug.SetMaxThreads(12)
		for n := range 24 {
			ran := false
			if ok := thread.New().Call(func() { ran = true }); ok != ran { // never terminated
				os.Exit(1)
			}
			fmt.Println("made", n)
		}
	},
}

// What a process prints before it ends. A refused thread ends it: it must not block instead, nor
// report that a function has run.
func TestPanic_isOnStandardError(t *testing.T) {
	for program, want := range map[string]struct {
		env     string
		status  int
		reports int
		shows   []string
	}{
		"a panic that is not recovered": {"", 2, 0, []string{
			"thread_test.explode", "thread_test.deepest", // where it came from
			"panic: boom", "thread_test.init.func", // the caller
			"a deferred call of the caller",
		}},
		"a panic that nothing handles": {"", 0, 5, []string{
			`threadcall: panic on thread "gl", in a function that no caller waits for: boom` + "\n" +
				"github.com/threadcall/threadcall/thread_test.explode(...)\n",
			"lives on true", `threadcall: panic on thread 0 of the pool "disk", `,
			"2 1\n", "threadcall: panic on a thread without a name",
			"a failed start {}", `panic on thread "host", `, "served 1",
		}},
		"a panic handler that panics": {"", 2, 0, []string{
			"a function called on another thread panicked there", "thread_test.explode", "panic: worse",
		}},
		"panic(nil) as it used to be": {"GODEBUG=panicnil=1", 0, 0,
			[]string{"recovered <nil> panicked true", "lives on true"}},
		"many Goexits": {"", 0, 1, []string{`threadcall: 3000 functions have called runtime.Goexit on ` +
			`thread "gl", as`, "4000 2999"}},
		"more threads than are allowed": {"", 2, 0, []string{"made 1\n", "thread exhaustion"}},
	} {
		out, status := testutil.Program(t, program, want.env)
		for _, text := range want.shows {
			if status != want.status || !strings.Contains(out, text) {
				t.Errorf("%s: exit status %d, want %d, and %q:\n%s", program, status, want.status, text, out)
			}
		}
		if n := strings.Count(out, "threadcall: "); n != want.reports {
			t.Errorf("%s: %d panics are reported, want %d:\n%s", program, n, want.reports, out)
		}
	}
}

//go:noinline
func nilMap() map[int]int { return nil }

// What threads and pools of one thread promise of posted functions that panic.
func TestWithPanicHandler_isGivenEachPanic(t *testing.T) {
	given, keep := keepPanics()
	for name, w := range both(t, keep) {
		for _, p := range panics {
			w.post(p.f)
		}
		w.post(func() { panic(errBoom) })
		w.post(deepest)
		w.call(nop)
		w.Terminate()
		for _, p := range panics {
			if f := given.take(); f == nil || !p.ok(f.Value) {
				t.Errorf("%s, %s: the handler has %#v", name, p.name, f)
			} else if err, ok := f.Value.(error); errors.Unwrap(f) != err || !ok && f.Unwrap() != nil {
				t.Errorf("%s, %s: Unwrap returned %v", name, p.name, f.Unwrap())
			}
		}
		if f := given.take(); f == nil || !errors.Is(f, errBoom) || f.Error() != "panic: boom" {
			t.Errorf("%s: the handler has %v", name, f)
		}
		checkStack(t, given.take())
		if f := given.take(); f != nil {
			t.Errorf("%s: one panic too many: %v", name, f)
		}
		if s := w.Stats(); int(s.Panicked) != len(panics)+2 {
			t.Errorf("%s: %d panics are counted, want %d", name, s.Panicked, len(panics)+2)
		}
	}
}

// What a handler has taken is not kept: a thread that has seen a thousand panics of a megabyte each
// keeps none of them.
func TestWithPanicHandler_keepsNoPanic(t *testing.T) {
	for name, w := range both(t, quiet) {
		var freed atomic.Int32
		const n = 100
		for range n {
			w.post(func() {
				big := new([1 << 16]byte)
				runtime.AddCleanup(big, func(int) { freed.Add(1) }, 0)
				panic(big)
			})
		}
		w.call(nop)
		eventually(t, func() bool { runtime.GC(); return freed.Load() == n }, "%s: all is freed", name)
	}
}
