package thread_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// asserted is what th.Assert panics with in f, and the line from which f calls it.
func asserted(f func()) (text string, err error) {
	err, _ = recovered(f).(error)
	return fmt.Sprint(err), err
}

// line is the file and line of what calls it, so many lines further down.
func line(down int) string {
	_, file, n, _ := runtime.Caller(1)
	return fmt.Sprintf("%s:%d", filepath.Base(file), n+down)
}

type canvas struct{ th *thread.Thread }

var canvasAsserts string

func (c *canvas) draw() {
	canvasAsserts = line(1)
	c.th.Assert()
}

func draw(th *thread.Thread) { th.Assert() }

func TestAssert_saysWhatToWrite(t *testing.T) {
	panics, kept := keepPanics()
	th, other := start(t, thread.WithName("gl"), kept), start(t, thread.WithName("db"))
	p := startPool(t, 1, thread.WithName("io"))
	unnamed := start(t)
	for _, call := range []func(func()) bool{th.Call, th.Go,
		func(f func()) bool { return th.Call(func() { th.Call(f) }) }} {
		call(th.Assert)
	}
	if th.Call(nop); panics.take() != nil {
		t.Error("it panicked on the thread")
	}
	c := &canvas{th}
	var text, started string
	ends(t, func() {
		done := make(chan bool)
		started = line(1)
		go func() {
			defer close(done)
			text, _ = asserted(func() { c.draw() })
		}()
		<-done
	})
	for _, want := range []string{
		"thread: thread_test.(*canvas).draw (" + canvasAsserts + `) must run on thread "gl";`,
		", started at " + started + " by thread_test.TestAssert_saysWhatToWrite.func",
		"Write t.Call(func() { draw() })",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the text is\n%s\nwithout\n%s", text, want)
		}
	}
	lines := regexp.MustCompile(
		`;\nit runs on goroutine \d+, started at [\w.]+:\d+ by [\w.]+\.\nWrite .*$`)
	if !lines.MatchString(text) {
		t.Errorf("the text is\n%s", text)
	}
	for _, c := range []struct {
		f    func()
		want string
	}{
		{func() { other.Call(func() { draw(th) }) }, `must run on thread "gl";` + "\n" +
			`it runs on thread "db".`},
		{func() { p.Call(func() { draw(th) }) }, `it runs on thread 0 of the pool "io".`},
		{func() { unnamed.Call(func() { draw(th) }) }, "it runs on a thread without a name"},
		{func() { draw(unnamed) }, "must run on a thread without a name"},
		{func() { draw(th) }, "Write t.Call(func() { draw() })"},
		{func() { th.Assert() }, "Write t.Call(func() { ... })"},
		{th.Assert, "must run on thread"},
	} {
		if text, _ := asserted(c.f); !strings.Contains(text, c.want) {
			t.Errorf("the text is\n%s\nwithout\n%s", text, c.want)
		}
	}
}

func TestAssert_isErrTerminatedAfterTheEnd(t *testing.T) {
	th := thread.New(thread.WithName("gl"))
	th.Call(func() {
		th.Terminate()
		th.Assert() // the function still is on the thread
	})
	<-th.Done()
	text, err := asserted(func() { draw(th) })
	if !errors.Is(err, thread.ErrTerminated) || !strings.Contains(text,
		`must run on thread "gl", which has been terminated`) {
		t.Errorf("it panicked with %v", err)
	}
}

func TestLocal_hasAValueForEachThread(t *testing.T) {
	type state struct{ n, m int }
	var one, two thread.Local[state]
	var other thread.Local[any]
	a, b := start(t), start(t)
	if v := one.Get(a); v != (state{}) {
		t.Errorf("a new thread has %v", v)
	}
	one.Set(a, state{1, 2})
	b.Call(func() { one.Set(b, state{3, 4}) })
	two.Set(a, state{5, 6})
	other.Set(a, "any")
	b.Terminate()
	if u, v, w := one.Get(a), one.Get(b), two.Get(a); u != (state{1, 2}) || v != (state{3, 4}) ||
		w != (state{5, 6}) {
		t.Errorf("a has %v and %v, b has %v", u, w, v)
	}
	if u, v := other.Get(a), other.Get(b); u != "any" || v != nil {
		t.Errorf("a has %v, b has %v", u, v)
	}
}

func TestLocal_isNotCopiedUnnoticed(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || testing.Short() {
		t.Skip("it takes the go command")
	}
	file := filepath.Join(t.TempDir(), "copies.go")
	if err := os.WriteFile(file, []byte(`package copies

import "github.com/threadcall/threadcall/thread"

var one thread.Local[int]

func copied() { two := one; two.Get(nil) }
`), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "go", "vet", file).CombinedOutput()
	if err == nil || !strings.Contains(string(out), "copies lock value") {
		t.Errorf("go vet says %v, %s", err, out)
	}
}
