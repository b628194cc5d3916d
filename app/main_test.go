package app_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/mainthread"
)

// The environment of the tests:
//
//	CI=true                  a missing display is a failure
//	THREADCALL_PROGRAM=name  run that program and no test: tests start themselves so where the end of a process matters,
//	                         or what it lacks

// programs are what tests run in processes of their own.
var programs = map[string]func(){
	"init":                      initAndTellError,
	"new window":                newWindowAndTellError,
	"init without a host":       initWithoutHost,
	"draw panics":               drawPanics,
	"goexit on the main thread": goexitOnTheMainThread,
}

func TestMain(m *testing.M) {
	flag.Parse()
	if program := programs[os.Getenv("THREADCALL_PROGRAM")]; program != nil {
		program()
		return
	}
	why := openDisplay()
	if why != "" {
		fmt.Printf("app: NOT TESTED: %s\n", why)
		if os.Getenv("CI") == "true" {
			os.Exit(1)
		}
		_ = flag.Set("test.run", "^TestQueue") // needs none
		_ = flag.Set("test.bench", "^$")
	}
	watchdog()
	mainthread.Init(func() { os.Exit(m.Run()) })
}

// watchdog ends a process that hangs, and shows where, if nobody has told go test when to do that.
func watchdog() {
	if flag.Lookup("test.timeout").Value.String() != "0s" {
		return
	}
	const limit = 20 * time.Minute
	time.AfterFunc(limit, func() {
		fmt.Printf("app: the tests have not ended within %v\n%s", limit, stacks())
		os.Exit(2)
	})
}

func stacks() string {
	b := make([]byte, 1<<20)
	return string(b[:runtime.Stack(b, true)])
}

// patience is how long something may take that a slow machine cannot explain.
const patience = 60 * time.Second

// ends runs f in a goroutine of its own and fails the test if f panics or does not end.
func ends(t testing.TB, f func()) {
	t.Helper()
	endsWithin(t, patience, f)
}

func endsWithin(t testing.TB, limit time.Duration, f func()) {
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
	arrivesWithin(t, limit, done)
}

// arrives receives from c and fails the test if nothing comes.
func arrives[T any](t testing.TB, c <-chan T) T {
	t.Helper()
	return arrivesWithin(t, patience, c)
}

func arrivesWithin[T any](t testing.TB, limit time.Duration, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(limit):
		t.Fatalf("nothing came within %v\n%s", limit, stacks())
		panic("not reached")
	}
}

// eventually fails the test if the condition does not become true.
func eventually(t testing.TB, condition func() bool, format string, args ...any) {
	t.Helper()
	for start := time.Now(); !condition(); time.Sleep(time.Millisecond) {
		if time.Since(start) > patience {
			t.Fatalf("not within %v: "+format+"\n%s", append(append([]any{patience}, args...), stacks())...)
		}
	}
}

// recovered runs f and returns what it panicked with, or nil.
func recovered(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func mustPanic(t testing.TB, f func(), advice string) {
	t.Helper()
	if v := fmt.Sprint(recovered(f)); !strings.Contains(v, advice) {
		t.Errorf("panicked with %q, want something about %q", v, advice)
	}
}

// begin initializes the package; the test's end terminates it, which also ends what hangs about.
func begin(t testing.TB) {
	t.Helper()
	if err := app.Init(); err != nil {
		t.Fatal(err)
	}
	if begun != t {
		begun = t
		t.Cleanup(func() { begun = nil; ends(t, app.Terminate) })
	}
}

var begun testing.TB // the test that will terminate the package

// open makes a window.
func open(t testing.TB, opts ...app.Option) *app.Win {
	t.Helper()
	begin(t)
	w, err := app.NewWindow(append([]app.Option{app.Title(t.Name()), app.Size(200, 150)}, opts...)...)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs a window in a goroutine of its own, and returns what is closed when Run has returned.
func run(t testing.TB, w *app.Win) <-chan struct{} {
	done := make(chan struct{})
	go func() {
		defer close(done)
		w.Run()
	}()
	t.Cleanup(func() { w.Stop(); arrives(t, done) })
	return done
}

// show makes a window and runs it, and returns when it has drawn a frame.
func show(t testing.TB, opts ...app.Option) (*app.Win, *counter) {
	t.Helper()
	w := open(t, opts...)
	c := count(w, nil)
	run(t, w)
	eventually(t, func() bool { return c.n.Load() > 0 }, "the first frame")
	return w, c
}

// A counter counts the frames of a window.
type counter struct{ n atomic.Int64 }

// count has a window drawn by draw, and counts.
func count(w *app.Win, draw func(f *app.Frame)) *counter {
	c := &counter{}
	w.OnDraw(func(f *app.Frame) {
		if draw != nil {
			draw(f)
		} else {
			gl.ClearColor(0, 0.5, 0, 1)
			gl.Clear(gl.COLOR_BUFFER_BIT)
		}
		c.n.Add(1)
	})
	return c
}

// goesOn fails the test if no more frames are drawn.
func (c *counter) goesOn(t testing.TB, frames int64, format string, args ...any) {
	t.Helper()
	before := c.n.Load()
	eventually(t, func() bool { return c.n.Load() >= before+frames }, format, args...)
}

// A record is the events of a window, as values.
type record struct {
	mu  sync.Mutex
	all []any
}

// listen records the events of a window and hands them to handle, if that is not nil.
func listen(w *app.Win, handle func(app.Event)) *record {
	r := &record{}
	w.OnEvent(func(e app.Event) {
		v := reflect.ValueOf(e).Elem().Interface()
		r.mu.Lock()
		r.all = append(r.all, v)
		r.mu.Unlock()
		if handle != nil {
			handle(e)
		}
	})
	return r
}

func (r *record) String() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return fmt.Sprintf("%+v", r.all)
}

// of returns the events of one type.
func of[E any](r *record) (some []E) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, v := range r.all {
		if e, ok := v.(E); ok {
			some = append(some, e)
		}
	}
	return some
}

// comes waits for an event.
func comes[E any](t testing.TB, r *record, like func(E) bool) {
	t.Helper()
	eventually(t, func() bool {
		for _, e := range of[E](r) {
			if like(e) {
				return true
			}
		}
		return false
	}, "an event; those that came: %v", r)
}

// program runs one of the programs in a process of its own and returns what it wrote and its exit status.
func program(t *testing.T, name string, env ...string) (output string, status int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(append(os.Environ(), "THREADCALL_PROGRAM="+name), env...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var late atomic.Bool
	killer := time.AfterFunc(patience, func() { late.Store(true); _ = cmd.Process.Kill() })
	defer killer.Stop()
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	if late.Load() {
		t.Fatalf("%q did not end by itself:\n%s", name, out.String())
	}
	return out.String(), cmd.ProcessState.ExitCode()
}
