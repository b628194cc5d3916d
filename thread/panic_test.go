package thread_test

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"strings"
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

// checkStack fails the test if p does not come from deepest, or shows the engine.
func checkStack(t *testing.T, p *thread.PanicError) {
	t.Helper()
	first, rest, _ := strings.Cut(p.Stack(), "\n")
	if !strings.Contains(first, "thread_test.explode") || !strings.Contains(rest, "thread_test.deepest") ||
		!strings.Contains(rest, "panic_test.go:") || strings.Contains(functionsOf(p.Stack()), "internal/engine") {
		t.Errorf("the stack is\n%s", p.Stack())
	}
}

//go:noinline
func deepest() { explode("boom") }

//go:noinline
func explode(v any) { panic(v) }

func panicThatNobodyRecovers() {
	th := thread.New()
	defer fmt.Println("a deferred call of the caller")
	th.Call(deepest)
}

func TestPanic_report(t *testing.T) {
	out, status := testutil.Program(t, "a panic that nobody recovers")
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

func TestPanic_nil(t *testing.T) {
	out, status := testutil.Program(t, "panic(nil) as it used to be", "GODEBUG=panicnil=1")
	if status != 0 || !strings.Contains(out, "recovered <nil> panicked true") || !strings.Contains(out, "lives on true") {
		t.Errorf("exit status %d:\n%s", status, out)
	}
}

//go:noinline
func nilMap() map[int]int { return nil }
