//go:build go1.25

package thread_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// inBubble runs f in a bubble, and again in many at the same time as other programs use the thread
// outside.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	for range scaled(200) {
		if synctest.Test(t, f); t.Failed() {
			return
		}
	}
}

func TestBubble_hasItsOwnTime(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		th := thread.New()
		defer th.Terminate()
		p := thread.NewPool(2)
		defer p.Terminate()
		begin := time.Now()
		th.Go(func() { time.Sleep(time.Hour) })
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := th.CallContext(ctx,
			func() { t.Error("ran after its deadline") }); err != context.DeadlineExceeded {
			t.Errorf("CallContext returned %v", err)
		}
		if d := time.Since(begin); d != time.Minute {
			t.Errorf("a minute took %v", d)
		}
		if at := thread.MustEval(th, time.Now); at.Sub(begin) != time.Hour {
			t.Errorf("an hour took %v", at.Sub(begin))
		}
		p.Call(func() { time.Sleep(time.Hour) })
		synctest.Wait() // the threads have nothing to do, and are durably blocked
		if d := time.Since(begin); d != 2*time.Hour {
			t.Errorf("two hours took %v", d)
		}
		other := thread.New()
		defer other.Terminate()
		order := 0
		th.Call(func() {
			other.Call(func() {
				time.Sleep(time.Hour)
				th.Call(func() { order = 10*order + 1 }) // round a cycle
			})
			order = 10*order + 2
		})
		if d := time.Since(begin); d != 3*time.Hour || order != 12 {
			t.Errorf("three hours took %v, the order was %d", d, order)
		}
		late, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		// While the function goes on, its caller is durably blocked although the context is done.
		if err := th.CallContext(late, func() { time.Sleep(time.Hour) }); err != nil {
			t.Errorf("CallContext returned %v for a function that had begun", err)
		}
	})
}

// The collector, which is outside, has no thread of a bubble free anything.
func TestBubble_freesWhenItsThreadEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := thread.New()
		freed := false
		newTexture(th, 1, func(int) { freed = true })
		for range 3 {
			var collected atomic.Bool
			runtime.AddCleanup(new(texture), func(c *atomic.Bool) { c.Store(true) }, &collected)
			for !collected.Load() {
				runtime.GC()
			}
		}
		if th.Call(func() {}); freed {
			t.Error("it is freed before")
		}
		th.Close()
		if <-th.Done(); !freed {
			t.Error("it is not freed")
		}
	})
}

// Each function is reported once, in a cycle and around a coroutine as well, and none that has
// panicked or called Goexit.
func TestBubble_reportsEachSlowFunctionOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var told atomic.Int32
		option := thread.WithSlowCall(time.Hour, func(thread.SlowCall) { told.Add(1) })
		a, b, p := thread.New(option), thread.New(), thread.NewPool(2, option)
		defer p.Terminate()
		defer b.Terminate()
		defer a.Terminate()
		check := func(what string, want int32, call func()) {
			t.Helper()
			call()
			if time.Sleep(3 * time.Hour); told.Load() != want {
				t.Errorf("%s: reported %d times, want %d", what, told.Load(), want)
			}
			told.Store(0)
		}
		long := func() { time.Sleep(2 * time.Hour) }
		check("a panic", 0, func() { recovered(func() { a.Call(func() { panic("early") }) }) })
		check("Goexit", 0, func() { exits(t, func() { a.Call(runtime.Goexit) }) })
		// a serves inside the call
		check("a cycle", 2, func() { a.Call(func() { b.Call(func() { a.Call(long) }); long() }) })
		if here() != 0 {
			check("a coroutine", 1, func() { a.Call(func() { inCoroutine(func() { a.Call(long) }) }) })
			check("in a pool", 1, func() { p.Call(func() { inCoroutine(func() { p.Call(long) }) }) })
		}
	})
}

// Functions of a thread outside run outside. Meanwhile the clock of the bubble, which begins in the
// year 2000, stands still, also when it has passed the time of today.
func TestBubble_callsThreadsOutside(t *testing.T) {
	ways := both(t)
	inBubble(t, func(t *testing.T) {
		inside := thread.New()
		defer inside.Terminate()
		for range 2 {
			begin := time.Now()
			ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
			for _, w := range ways {
				ran := 0
				f := func() {
					if ran++; time.Now().Year() == begin.Year() {
						t.Error("a function runs inside the bubble")
					}
					time.Sleep(time.Microsecond)
				}
				w.Go(f)
				inside.Call(func() { w.Call(f) })
				if !w.Call(f) || !withContext(ctx, w)(f) || ran != 4 || time.Since(begin) != 0 {
					t.Errorf("%d functions ran, want 4, in %v of the bubble", ran, time.Since(begin))
				}
				if v := recovered(func() { w.Call(func() { panic(errBoom) }) }); v != errBoom {
					t.Errorf("recovered %v", v)
				}
			}
			cancel()
			time.Sleep(100 * 365 * 24 * time.Hour)
		}
	})
}

// Functions that are found to be slow at the same moment are all reported, whatever a report does.
func TestBubble_reportsAllThatAreSlowAtOneMoment(t *testing.T) {
	hour := func() { time.Sleep(time.Hour) }
	for name, first := range map[string]func(){"blocks": hour, "exits": runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			var told atomic.Int32
			p := thread.NewPool(5, thread.WithSlowCall(time.Minute, func(thread.SlowCall) {
				if told.Add(1) < 4 {
					first()
				}
			}))
			for range 5 {
				p.Go(func() { time.Sleep(2 * time.Minute) })
			}
			time.Sleep(90 * time.Second)
			if n := told.Load(); n != 5 {
				t.Errorf("the first %s: %d of 5 functions were reported", name, n)
			}
			p.Close()
			time.Sleep(time.Hour)
		})
	}
}

// Stop functions are counted, and start and stop functions are watched, on one thread and on those
// of a pool.
func TestBubble_observesStartAndStopFunctions(t *testing.T) {
	for name, begin := range makers {
		synctest.Test(t, func(t *testing.T) {
			n := uint64(1)
			if strings.HasSuffix(name, "Pool") {
				n = 2
			}
			var starts, stops atomic.Uint64
			hour := func() { time.Sleep(time.Hour) }
			th, err := begin(thread.WithName("slow"), thread.WithSlowCall(time.Minute,
				func(s thread.SlowCall) {
					if !strings.HasPrefix(s.Name, "slow") || n > 1 && s.Name == "slow" {
						t.Errorf("%s: the name is %q", name, s.Name)
					}
					if s.Caller == "" {
						stops.Add(1)
					} else if strings.Contains(s.Caller, "TestBubble_observesStartAndStopFunctions") {
						starts.Add(1)
					}
				}), thread.WithStop(hour), thread.WithStart(func() error { hour(); return nil }),
				thread.WithStop(func() { panic("boom") }), quiet, thread.WithTimes())
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(2 * time.Hour)
			th.Close()
			s := th.Stats()
			if s.Calls+s.Posts != 3*n || s.Runs.Sum != 2*time.Duration(n)*time.Hour {
				t.Errorf("%s: %+v", name, s)
			}
			sound(t, s)
			if starts.Load() != n || stops.Load() != n {
				t.Errorf("%s: %d starts and %d stops are reported", name, starts.Load(), stops.Load())
			}
		})
	}
}

// A post that still waits for a place when its context is done is withdrawn, and not refused.
func TestBubble_countsAPostThatIsWithdrawnWhileItWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, th := range both(t, thread.WithQueueLimit(1)) {
			busy := occupy(t, th.Go)
			th.Go(nop)
			ctx, cancel := context.WithCancel(t.Context())
			posted := make(chan error)
			go func() { posted <- th.GoContext(ctx, nop) }()
			synctest.Wait()
			cancel()
			err := <-posted
			busy.Open()
			if s := th.Stats(); err != context.Canceled || s.Withdrawn != 1 || s.Refused != 0 {
				t.Errorf("%s: GoContext returned %v: %+v", name, err, s)
			}
		}
	})
}

// A context of another package, which context.AfterFunc follows with a goroutine.
type foreign struct{ context.Context }

func (foreign) Value(any) any { return nil }

// A Thread is adopted where it was made: in the same bubble, or outside.
func TestBubble_adoptsWhereTheThreadWasMade(t *testing.T) {
	outside := thread.NewLoop()
	defer outside.Thread().Terminate()
	var inside *thread.Loop
	inBubble(t, func(t *testing.T) {
		if err := outside.Adopt(); err == nil || !strings.Contains(err.Error(), "bubble") {
			t.Errorf("inside, adopt of a Thread from outside returns %v", err)
		}
		inside = thread.NewLoop()
		th, ran := inside.Thread(), false
		go th.AfterFunc(time.Hour, func() { ran = true; th.Terminate() })
		synctest.Wait()
		if err := inside.Adopt(); err != nil {
			t.Error(err)
		}
		if err := inside.ServeContext(context.Background()); err != thread.ErrTerminated || !ran {
			t.Errorf("%v, ran %v", err, ran)
		}
		th = thread.NewLoop().Thread()
		go func() { th.Call(nop); th.Close() }()
		synctest.Wait()
		th.Terminate()
		inside = thread.NewLoop()
	})
	ends(t, func() {
		if err := inside.Adopt(); err == nil || !strings.Contains(err.Error(), "bubble") {
			t.Errorf("outside, adopt of a Thread from a bubble returns %v", err)
		}
		if err := outside.Adopt(); err != nil {
			t.Error(err)
		}
	})
}

// A thread outside runs no function whose context has ended, although it must not look at that.
func TestBubble_endsAContextForAThreadOutside(t *testing.T) {
	outside := start(t)
	busy := occupy(t, outside.Go)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		outside.GoContext(foreign{ctx}, func() { t.Error("ran, with a context of another package") })
		outside.GoContext(ctx, func() { t.Error("ran") })
		cancel()
		synctest.Wait()
		busy.Open()
		outside.Call(nop)
	})
}

// A thread outside lets go of a context of another package, which a goroutine of the bubble
// follows.
func TestBubble_letsGoOfAForeignContext(t *testing.T) {
	outside := start(t)
	inBubble(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		n := 0
		for range 3 {
			outside.GoContext(foreign{ctx}, func() { n++ })
			outside.GoContext(ctx, func() { n++ })
			outside.Call(nop)
		}
		if cancel(); n != 6 || outside.GoContext(foreign{ctx}, nop) == nil {
			t.Errorf("%d functions ran, want 6", n)
		}
	})
}

// Timers of a thread outside the bubble keep the real time, and Stop waits for their functions.
func TestBubble_timersOfAThreadOutsideKeepRealTime(t *testing.T) {
	th := start(t)
	var ticks atomic.Int32
	made := th.Every(time.Millisecond, func() { ticks.Add(1) })
	for range scaled(50) {
		synctest.Test(t, func(t *testing.T) {
			for name, newTimer := range timers {
				begin := time.Now()
				var ran, ended atomic.Int32
				timer := newTimer(th, time.Millisecond, func() {
					if ran.Add(1); time.Now().Year() < 2020 {
						t.Errorf("%s: the function runs inside the bubble", name)
					}
					time.Sleep(100 * time.Microsecond)
					ended.Add(1)
				})
				for ran.Load() == 0 {
					th.Call(nop) // the clock of the bubble stands still
				}
				timer.Stop()
				if ended.Load() != ran.Load() || time.Since(begin) != 0 {
					t.Errorf("%s: Stop has not waited, or %v passed in the bubble", name,
						time.Since(begin))
				}
			}
			made.Stop()                         // which was made outside
			th.AfterFunc(time.Millisecond, nop) // left to run
			th.Every(time.Hour, nop)            // until the thread ends
		})
	}
	n := ticks.Load()
	th.Call(func() { time.Sleep(3 * time.Millisecond) })
	if th.Call(nop); ticks.Load() != n {
		t.Error("ran after Stop")
	}
}

// In a bubble, Shutdown waits as long as its context says, and the thread ends when it would have.
func TestBubble_ShutdownEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, w := range map[string]runner{"Thread": thread.New(), "Pool": thread.NewPool(1)} {
			begin, ran := time.Now(), false
			w.Go(func() { time.Sleep(time.Hour) })
			w.Go(func() { ran = true })
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			err := w.Shutdown(ctx)
			if d := time.Since(begin); err != context.DeadlineExceeded || d != time.Minute || w.Go(nop) {
				t.Errorf("%s: after %v, Shutdown returned %v", name, d, err)
			}
			err = w.Shutdown(t.Context())
			if d := time.Since(begin); err != nil || d != time.Hour || !ran || !isClosed(w.Done()) {
				t.Errorf("%s: after %v, Shutdown returned %v; the last function ran: %v", name, d, err, ran)
			}
		}
	})
}

// A tick that comes late stands for those that have passed, and Missed counts all of these.
func TestMissed_countsWhatALateThreadLeavesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := thread.New()
		defer th.Terminate()
		var missed []int64
		var timer *thread.Timer
		th.Call(func() {
			timer = th.Every(time.Second, func() {
				missed = append(missed, timer.Missed())
			})
		})
		for range 2 {
			th.Go(func() { time.Sleep(4500 * time.Millisecond) })
			time.Sleep(7200 * time.Millisecond)
			synctest.Wait()
		}
		timer.Stop()
		if got, want := fmt.Sprint(missed), "[3 3 3 3 6 6 6 6]"; got != want {
			t.Errorf("missed %s, want %s", got, want)
		}
	})
}
