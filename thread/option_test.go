package thread_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// What each option does, one test for each. WithName has a test for Linux, WithKeep one where the
// system distinguishes threads.

func TestWithQueueLimit_makesGoWaitWhileTheQueueIsFull(t *testing.T) {
	for name, w := range both(t, thread.WithQueueLimit(2)) {
		busy := occupy(t, w.Go)
		w.Go(nop)
		w.Go(nop)
		third := make(chan bool)
		go func() { third <- w.Go(nop) }()
		select {
		case <-third:
			t.Errorf("%s: a queue of 2 has taken 3", name)
		case <-time.After(10 * time.Millisecond):
		}
		busy.Open()
		if !testutil.Arrives(t, third) {
			t.Errorf("%s: Go returned false when there was room", name)
		}
	}
}

func TestWithQueueLimit_doesNotMakeTheThreadItselfWait(t *testing.T) {
	th := start(t, thread.WithQueueLimit(1))
	n := 0
	ends(t, func() {
		th.Call(func() {
			for range 3 {
				th.Go(func() { n++ })
			}
		})
	})
	if th.Call(nop); n != 3 {
		t.Errorf("%d functions ran, want 3", n)
	}
}

func TestWithStart_runsBeforeEverythingElse(t *testing.T) {
	begun := false
	th := start(t, thread.WithStart(func() error { begun = true; return nil }))
	if !thread.MustEval(th, func() bool { return begun }) {
		t.Error("the function of WithStart had not run")
	}
}

func TestWithStart_reportsItsErrorWithNew(t *testing.T) {
	reported := make(chan error, 1)
	th := start(t, thread.WithStart(func() error { return errBoom }),
		thread.WithPanicHandler(func(p *thread.PanicError) { reported <- p }))
	if err := testutil.Arrives(t, reported); !errors.Is(err, errBoom) {
		t.Errorf("reported %v", err)
	}
	testutil.Arrives(t, th.Done())
	if th.Call(nop) {
		t.Error("a thread whose start has failed runs a function")
	}
}

func TestWithStop_runsAfterEverythingElse(t *testing.T) {
	var order []string
	th := thread.New(thread.WithStop(func() { order = append(order, "stop") }))
	th.Go(func() { order = append(order, "function") })
	th.Close()
	if len(order) != 2 || order[1] != "stop" {
		t.Errorf("ran %q", order)
	}
}

func TestWithPanicHandler_takesPanicsOfPostedFunctions(t *testing.T) {
	handled := make(chan *thread.PanicError, 1)
	th := start(t, thread.WithPanicHandler(func(p *thread.PanicError) { handled <- p }))
	th.Go(func() { panic(errBoom) })
	if p := testutil.Arrives(t, handled); p.Value != errBoom || !errors.Is(p, errBoom) {
		t.Errorf("handled %v", p)
	}
}

func TestOnPanic_replacesTheHandler(t *testing.T) {
	first, second := make(chan *thread.PanicError, 1), make(chan *thread.PanicError, 1)
	th := start(t, thread.WithPanicHandler(func(p *thread.PanicError) { first <- p }))
	th.OnPanic(func(p *thread.PanicError) { second <- p })
	th.Go(func() { panic(errBoom) })
	testutil.Arrives(t, second)
	if len(first) > 0 {
		t.Error("the first handler was called")
	}
}

func TestID_differsForEachThread(t *testing.T) {
	seen := map[uint64]bool{}
	for range 10 {
		th := start(t)
		if id := th.ID(); seen[id] || id != th.ID() {
			t.Errorf("ID %d is not a number of its own", id)
		}
		seen[th.ID()] = true
	}
}

func TestTerminate_refusesWhatIsQueued(t *testing.T) {
	for name, w := range both(t) {
		busy := occupy(t, w.Go)
		called := make(chan bool)
		w.Stats() // which counts from now on
		go func() { called <- w.Call(func() { t.Errorf("%s: the function runs", name) }) }()
		eventually(t, func() bool { return w.Stats().Queued == 1 }, "the call is queued")
		w.Terminate()
		w.Terminate() // does nothing
		if testutil.Arrives(t, called) {
			t.Errorf("%s: Call returned true", name)
		}
		busy.Open()
		testutil.Arrives(t, w.Done())
	}
}

func TestEvery_runsAgainAndAgain(t *testing.T) {
	th := start(t)
	ticks := make(chan bool)
	timer := th.Every(time.Millisecond, func() { ticks <- th.On() })
	for range 3 {
		if !testutil.Arrives(t, ticks) {
			t.Error("a tick is off the thread")
		}
	}
	go func() {
		for range ticks { // or Stop would wait for a function that waits for this test
		}
	}()
	timer.Stop()
	close(ticks)
}

// With WithParking, and for all threads of a process with THREADCALL_SPIN=off, no call finds the
// thread spinning, however closely calls follow each other.
func TestWithParking_keepsTheThreadFromSpinning(t *testing.T) {
	for plain := start(t); spunIn(plain) == 0 && plain.Stats().Calls < 100_000; {
		// it is not known yet whether there are cores to spin on
	}
	for name, w := range both(t, thread.WithParking()) {
		if n := spunIn(w); n != 0 {
			t.Errorf("%s: it was spinning at %d of 5,000 calls", name, n)
		}
	}
	output, status := testutil.Program(t, "spins", "THREADCALL_SPIN=off")
	if status != 0 || output != "0 0\n" {
		t.Errorf("status %d; with THREADCALL_SPIN=off, it was spinning at %s calls", status, output)
	}
}

func init() {
	programs["spins"] = func() {
		t, p := thread.New(), thread.NewPool(2)
		fmt.Println(spunIn(t), spunIn(p))
	}
}

// spunIn makes calls in a closed loop, and returns how often the thread was spinning.
func spunIn(w interface {
	Call(f func()) bool
	Stats() thread.Stats
}) uint64 {
	for range 5000 {
		w.Call(nop)
	}
	return w.Stats().Wakeups.Spinning
}
