package thread_test

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
	"testing"

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
	{"wrapped error", func() { panic(fmt.Errorf("outer: %w", fs.ErrExist)) }, func(v any) bool {
		err, ok := v.(error)
		return ok && errors.Is(err, fs.ErrExist)
	}},
	{"struct", func() { panic(custom{7, "why"}) }, func(v any) bool { return v == custom{7, "why"} }},
	{"pointer", func() { panic(&theCustom) }, func(v any) bool { return v == &theCustom }},
	{"uncomparable", func() { panic([]int{1, 2}) }, func(v any) bool { s, ok := v.([]int); return ok && len(s) == 2 }},
	{"function", func() { panic(func() int { return 3 }) }, func(v any) bool { f, ok := v.(func() int); return ok && f() == 3 }},
	{"nil", func() { panic(nil) }, func(v any) bool { _, ok := v.(*runtime.PanicNilError); return ok }},
	{"nil map", func() { nilMap()[1] = 2 }, isRuntimeError("nil map")},
	{"nil pointer", func() { var p *custom; p.code = 1 }, isRuntimeError("nil pointer")},
	{"division", func() { n := len(theCustom.why); n /= n }, isRuntimeError("divide by zero")},
	{"index", func() { s := make([]int, 3); s[len(s)] = 1 }, isRuntimeError("index out of range [3] with length 3")},
	{"conversion", func() { var v any = 1; _ = v.(string) }, func(v any) bool { _, ok := v.(*runtime.TypeAssertionError); return ok }},
	{"a second one", func() { defer func() { panic("second") }(); panic("first") }, func(v any) bool { return v == "second" }},
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

func TestAPanicReachesTheCallerAsTheValueItWas(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		for _, p := range panics {
			if v := recovered(func() { w.call(p.f); t.Error("the call returned") }); !p.ok(v) {
				t.Errorf("%s: recovered %#v", p.name, v)
			}
			if v := recovered(func() { w.call(func() { w.call(p.f) }) }); !p.ok(v) {
				t.Errorf("%s, nested: recovered %#v", p.name, v)
			}
		}
		if !w.call(nop) {
			t.Error("the thread did not live on")
		}
	})
}

func TestAPanicReachesTheCallerThroughAnotherThread(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		other := start(t)
		for _, p := range panics {
			if v := recovered(func() { other.Call(func() { w.call(p.f) }) }); !p.ok(v) {
				t.Errorf("%s: recovered %#v", p.name, v)
			}
		}
	})
}

func TestAPanicInACoroutinesCallReachesIt(t *testing.T) {
	needsCoroutines(t)
	th := start(t)
	th.Call(func() {
		for range pulled(func(yield func(int) bool) {
			for _, p := range panics {
				if v := recovered(func() { th.Call(p.f) }); !p.ok(v) {
					t.Errorf("%s: recovered %#v", p.name, v)
				}
			}
			yield(0)
		}) {
		}
	})
}

func TestARecoveredPanicIsOver(t *testing.T) {
	th := start(t)
	func() {
		defer func() {
			if v := recover(); v != "boom" {
				t.Errorf("recovered %v", v)
			}
			if v := recover(); v != nil {
				t.Errorf("recovered %v as well", v)
			}
		}()
		th.Call(func() { panic("boom") })
	}()
	ran := false
	if !th.Call(func() { ran = recover() == nil }) || !ran {
		t.Error("the thread still panics")
	}
}

func TestAPanicThatTheFunctionRecoversIsNobodyElses(t *testing.T) {
	inEveryWay(t, func(t *testing.T, w way) {
		if v := recovered(func() {
			if !w.call(func() { recovered(func() { panic("mine") }) }) {
				t.Error("told that it did not run")
			}
		}); v != nil {
			t.Errorf("the caller recovered %v", v)
		}
	})
}

func TestAPanicInAPostedFunctionIsKeptForError(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			if err := s.fault(); err != nil {
				t.Fatalf("an error before anything panicked: %v", err)
			}
			for _, p := range panics {
				s.post(p.f)
			}
			s.call(nop)
			for _, p := range panics {
				err := s.fault()
				var pe *thread.PanicError
				if !errors.As(err, &pe) || !p.ok(pe.Value) {
					t.Errorf("%s: Error returned %#v", p.name, err)
				} else if want := fmt.Sprintf("panic: %v", pe.Value); err.Error() != want {
					t.Errorf("%s: the message is %q, want %q", p.name, err, want)
				}
			}
			if err := s.fault(); err != nil {
				t.Errorf("one error too many: %v", err)
			}
		})
	}
}

// sources are a thread and a pool whose posted functions panic.
func sources(t *testing.T) map[string]way {
	return map[string]way{"thread": ofThread(start(t)), "pool": ofPool(startPool(t, 1))}
}

func TestIsAndAsSeeThroughAKeptPanic(t *testing.T) {
	th := start(t)
	th.Go(func() { panic(fmt.Errorf("outer: %w", &fs.PathError{Op: "open", Path: "x", Err: fs.ErrNotExist})) })
	th.Go(func() { panic("no error at all") })
	th.Go(func() { var p *custom; p.code = 1 })
	th.Call(nop)

	err := th.Error()
	var path *fs.PathError
	if !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &path) || path.Path != "x" {
		t.Errorf("the error inside %v is not found", err)
	}
	if err := th.Error(); errors.Unwrap(err) != nil {
		t.Errorf("there is an error inside %v", err)
	}
	var rt runtime.Error
	if err := th.Error(); !errors.As(err, &rt) {
		t.Errorf("%v is not known for a runtime error", err)
	}
}

func TestAKeptPanicTellsWhereItCameFrom(t *testing.T) {
	th := start(t)
	th.Go(deepest)
	th.Call(nop)
	var pe *thread.PanicError
	if !errors.As(th.Error(), &pe) {
		t.Fatal("no error")
	}
	first, rest, _ := strings.Cut(pe.Stack(), "\n")
	if !strings.Contains(first, "thread_test.explode") || !strings.Contains(rest, "thread_test.deepest") ||
		!strings.Contains(rest, "panic_test.go:") {
		t.Errorf("the stack is\n%s", pe.Stack())
	}
	if strings.Contains(functionsOf(pe.Stack()), "internal/engine") {
		t.Errorf("the stack shows the engine:\n%s", pe.Stack())
	}
}

//go:noinline
func deepest() { explode("boom") }

//go:noinline
func explode(v any) { panic(v) }

func TestOfManyPanicsTheFirstAreKeptAndTheOthersCounted(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			const kept, lost = 1024, 100
			for i := range kept + lost {
				s.post(func() { panic(i) })
			}
			s.call(nop)
			for i := range kept {
				var pe *thread.PanicError
				if err := s.fault(); !errors.As(err, &pe) || pe.Value != i {
					t.Fatalf("error %d is %v", i, err)
				}
			}
			var pe *thread.PanicError
			if err := s.fault(); err == nil || errors.As(err, &pe) || !strings.Contains(err.Error(), fmt.Sprint(lost)) {
				t.Errorf("after those that were kept, Error returned %v", err)
			}
			if err := s.fault(); err != nil {
				t.Errorf("Error tells of them twice: %v", err)
			}
			s.post(func() { panic("again") })
			s.call(nop)
			if err := s.fault(); !errors.As(err, &pe) || pe.Value != "again" {
				t.Errorf("a later panic is not kept: %v", err)
			}
		})
	}
}

func TestKeptPanicsCanBeReadAfterTerminate(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			s.post(func() { panic("boom") })
			s.call(nop)
			s.terminate()
			var pe *thread.PanicError
			if err := s.fault(); !errors.As(err, &pe) || pe.Value != "boom" {
				t.Errorf("Error returned %v", err)
			}
		})
	}
}

func TestAPanicOfACallIsNotKept(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			recovered(func() { s.call(func() { panic("boom") }) })
			if err := s.fault(); err != nil {
				t.Errorf("Error returned %v", err)
			}
		})
	}
}

func panicThatNobodyRecovers() {
	th := thread.New()
	defer fmt.Println("a deferred call of the caller")
	th.Call(deepest)
}

func TestTheReportOfAPanicThatNobodyRecoversNamesTheFunction(t *testing.T) {
	out, status := run(t, "a panic that nobody recovers")
	if status != 2 {
		t.Errorf("exit status %d, want 2", status)
	}
	for _, want := range []string{
		"thread_test.explode", "thread_test.deepest", // where it came from
		"panic: boom", "thread_test.panicThatNobodyRecovers", // who called
		"a deferred call of the caller",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the report does not show %q:\n%s", want, out)
		}
	}
}

func panicNilAsItUsedToBe() {
	th := thread.New()
	panicked := true
	func() {
		defer func() { fmt.Println("recovered", recover(), "panicked", panicked) }()
		th.Call(func() { panic(nil) })
		panicked = false
	}()
	fmt.Println("lives on", th.Call(nop))
}

func TestPanicNilAsItUsedToBe(t *testing.T) {
	out, status := run(t, "panic(nil) as it used to be", "GODEBUG=panicnil=1")
	if status != 0 || !strings.Contains(out, "recovered <nil> panicked true") || !strings.Contains(out, "lives on true") {
		t.Errorf("exit status %d:\n%s", status, out)
	}
}

//go:noinline
func nilMap() map[int]int { return nil }
