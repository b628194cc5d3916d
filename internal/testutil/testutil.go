// Package testutil has what tests of several packages need.
package testutil

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TimeLimit is how long tests wait: 45 seconds, or what the variable THREADCALL_TIME_LIMIT says.
func TimeLimit() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("THREADCALL_TIME_LIMIT")); err == nil {
		return d
	}
	return 45 * time.Second
}

// Arrives receives from c, or fails the test with the stacks of all goroutines if nothing comes.
func Arrives[V any](t testing.TB, c <-chan V) V {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(TimeLimit()):
		late(t, "nothing came")
		panic("not reached")
	}
}

func late(t testing.TB, what string) {
	t.Helper()
	stacks := make([]byte, 1<<20)
	t.Fatalf("not within %v: %s\n%s", TimeLimit(), what, stacks[:runtime.Stack(stacks, true)])
}

// Eventually fails the test, with all stacks, if the condition does not become true in time.
func Eventually(t testing.TB, condition func() bool, format string, args ...any) {
	t.Helper()
	limit := TimeLimit() // here, because it allocates
	for start := time.Now(); !condition(); time.Sleep(time.Millisecond) {
		if time.Since(start) > limit {
			late(t, fmt.Sprintf(format, args...))
		}
	}
}

// Ends runs f in a goroutine of its own and fails the test if f panics or does not end.
func Ends(t testing.TB, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if v := recover(); v != nil {
				t.Errorf("panic: %v\n%s", v, debug.Stack())
			}
		}()
		f()
	}()
	Arrives(t, done)
}

// Recovered runs f and returns what it panicked with, or nil.
func Recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

// MustPanic fails the test unless f panics with a value whose text contains advice.
func MustPanic(t testing.TB, f func(), advice string) {
	t.Helper()
	if v := fmt.Sprint(Recovered(f)); !strings.Contains(v, advice) {
		t.Errorf("panicked with %q, want something about %q", v, advice)
	}
}

// Seeded returns the source of a stress test's choices, whose seed, THREADCALL_SEED, it logs.
func Seeded(t testing.TB) *rand.Rand {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("THREADCALL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatalf("%v", err)
		}
		seed = n
	}
	t.Logf("THREADCALL_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// A Gate keeps a thread busy until Open, which lets it go on, is called.
type Gate struct{ Open func() }

// Occupy hands post a function that waits at a gate, and returns when it has begun.
func Occupy(t testing.TB, post func(func()) bool) *Gate {
	t.Helper()
	entered, release := make(chan struct{}), make(chan struct{})
	g := &Gate{sync.OnceFunc(func() { close(release) })}
	t.Cleanup(g.Open)
	if !post(func() { close(entered); <-release }) {
		t.Fatalf("Go refused a function")
	}
	Arrives(t, entered)
	return g
}

// CollectedAndEnded runs the collector and reports whether c is closed.
func CollectedAndEnded(c <-chan struct{}) bool {
	runtime.GC()
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// Race is whether the race detector is on.
var Race = func() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}()

// Collecting is whether THREADCALL_COLLECT has tests keep the garbage collector running.
var Collecting = os.Getenv("THREADCALL_COLLECT") != ""

// Collect keeps the garbage collector running if Collecting.
func Collect() {
	for Collecting {
		runtime.GC()
	}
}

// A Group is a sync.WaitGroup with the method Go.
type Group struct{ sync.WaitGroup }

// Go calls f in a new goroutine, for whose end Wait waits.
func (g *Group) Go(f func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		f()
	}()
}
