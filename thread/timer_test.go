package thread_test

import (
	"math"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

const tick = 2 * time.Millisecond

// timers are the ways to make one, each of which first ticks after d.
var timers = map[string]func(th *thread.Thread, d time.Duration, f func()) *thread.Timer{
	"AfterFunc": (*thread.Thread).AfterFunc,
	"Every":     (*thread.Thread).Every,
}

// A Timer that has been stopped does not keep what its function refers to.
func TestTimer_StopForgetsItsFunction(t *testing.T) {
	th := start(t)
	for name, after := range timers {
		x := new([64]int)
		p := weak.Make(x)
		timer := after(th, time.Hour, func() { x[0]++ })
		timer.Stop()
		collected(t, p, "what "+name+" refers to")
		runtime.KeepAlive(timer)
	}
}

func TestAfterFunc_runsOnce(t *testing.T) {
	th := start(t)
	for _, d := range []time.Duration{math.MinInt64, -1, 0, 1} {
		ran := make(chan bool, 2)
		timer := th.AfterFunc(d, func() { ran <- th.On() })
		if !testutil.Arrives(t, ran) {
			t.Error("the function is not on the thread")
		}
		time.Sleep(tick)
		if len(ran) != 0 || timer.Missed() != 0 {
			t.Error("it ran twice")
		}
	}
	far := []*thread.Timer{th.AfterFunc(math.MaxInt64, nop), th.Every(math.MaxInt64, nop)}
	time.Sleep(tick)
	for _, timer := range far {
		timer.Stop()
	}
}

// A thread that cannot keep up with its Timer keeps no goroutine from running, with one P either.
// Others wait for a timeslice at most, which is 12,000 ticks, as without a Timer; more where the Go
// runtime's monitor gets no core.
func TestEvery_letsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const limit = 1_000_000
	for period, each := range map[time.Duration]time.Duration{
		time.Microsecond:       0,
		100 * time.Microsecond: 200 * time.Microsecond,
	} {
		th := start(t)
		var ticks atomic.Int64
		timer := th.Every(period, func() {
			for start := time.Now(); time.Since(start) < each; {
			}
			if ticks.Add(1) > limit {
				time.Sleep(time.Millisecond)
			}
		})
		for range 10 {
			ran := make(chan bool)
			ticks.Store(0)
			for range 4 { // only one is the next to run
				go func() { ran <- true }()
			}
			for range 4 {
				testutil.Arrives(t, ran)
			}
			if ticks.Load() > limit {
				t.Fatalf("every %v, for %v: a goroutine has not run during %d ticks", period, each, limit)
			}
		}
		timer.Stop()
	}
}

func TestTimer_StopWaitsForTheFunction(t *testing.T) {
	for name, newTimer := range timers {
		t.Run(name, func(t *testing.T) {
			t.Run("by the function", func(t *testing.T) {
				panics, keep := keepPanics()
				th := start(t, keep)
				done := make(chan bool)
				var timer *thread.Timer
				th.Call(func() {
					timer = newTimer(th, tick, func() {
						timer.Stop()
						th.Call(func() { timer.Stop() })
						close(done) // a second time would panic
					})
				})
				testutil.Arrives(t, done)
				time.Sleep(2 * tick)
				if ends(t, func() { timer.Stop() }); panics.take() != nil {
					t.Error("ran again")
				}
			})
			t.Run("for which the function waits", func(t *testing.T) {
				th, other, p := start(t), start(t), startPool(t, 2)
				done := make(chan bool)
				var timer *thread.Timer
				th.Call(func() {
					timer = newTimer(th, tick, func() {
						other.Call(func() { p.Call(func() { timer.Stop() }) })
						other.Call(func() { timer.Stop() })
						close(done)
					})
				})
				testutil.Arrives(t, done)
			})
			t.Run("for which the function waits later", func(t *testing.T) {
				th, other := start(t), start(t)
				entered, done := make(chan bool), make(chan bool)
				stopping := make(chan bool)
				timer := newTimer(th, tick, func() {
					close(entered)
					<-stopping
					time.Sleep(tick)
					other.Call(nop)
					close(done)
				})
				testutil.Arrives(t, entered)
				ends(t, func() { other.Call(func() { close(stopping); timer.Stop() }) })
				testutil.Arrives(t, done)
			})
			t.Run("on an adopted thread", func(t *testing.T) {
				h := adopt(t)
				woken := make(chan bool, 100)
				h.do(func() { h.loop.OnWake(func() { woken <- true }) })
				timer := newTimer(h.Thread, time.Microsecond, func() { t.Error("ran") })
				testutil.Arrives(t, woken)
				ends(t, func() { timer.Stop() })
				h.do(func() { h.loop.Serve(0) })
			})
			t.Run("after Terminate", func(t *testing.T) {
				th := start(t)
				timer := newTimer(th, time.Microsecond, nop)
				th.Terminate()
				ends(t, func() { timer.Stop() })
				timer = newTimer(th, time.Microsecond, func() { t.Error("ran on a terminated thread") })
				time.Sleep(tick)
				ends(t, func() { timer.Stop() })
			})
		})
	}
}

// Stop returns true once, if a run was still to come: for AfterFunc, before the function has begun.
func TestTimer_StopReportsWhetherItHasEndedTheTimer(t *testing.T) {
	for name, newTimer := range timers {
		once := name == "AfterFunc"
		for what, stops := range map[string]func(th *thread.Thread) (got, want []bool){
			"before it is due": func(th *thread.Thread) (got, want []bool) {
				timer := newTimer(th, time.Hour, nop)
				return []bool{timer.Stop(), timer.Stop()}, []bool{true, false}
			},
			"when it is queued": func(th *thread.Thread) (got, want []bool) {
				th.Call(func() {
					timer := newTimer(th, 1, func() { t.Error("ran") })
					eventually(t, func() bool { return th.Stats().Queued > 0 }, "the tick is queued")
					got = []bool{timer.Stop(), timer.Stop()}
				})
				th.Call(nop)
				return got, []bool{true, false}
			},
			"by its function": func(th *thread.Thread) (got, want []bool) {
				done := make(chan bool, 2)
				var timer *thread.Timer
				th.Call(func() { timer = newTimer(th, 1, func() { done <- timer.Stop() }) })
				return []bool{testutil.Arrives(t, done), timer.Stop()}, []bool{!once, false}
			},
			"while its function runs": func(th *thread.Thread) (got, want []bool) {
				begun, release := make(chan bool), make(chan bool)
				timer := newTimer(th, 1, func() { close(begun); <-release })
				testutil.Arrives(t, begun)
				go func() { time.Sleep(tick); close(release) }()
				return []bool{timer.Stop(), timer.Stop()}, []bool{!once, false}
			},
			"by many": func(th *thread.Thread) (got, want []bool) {
				timer, stopped := newTimer(th, time.Hour, nop), make(chan bool)
				for range 8 {
					go func() { stopped <- timer.Stop() }()
				}
				ended := 0
				for range 8 {
					if testutil.Arrives(t, stopped) {
						ended++
					}
				}
				return []bool{ended == 1}, []bool{true}
			},
			"after the end of the thread": func(th *thread.Thread) (got, want []bool) {
				timer := newTimer(th, time.Hour, nop)
				th.Terminate()
				return []bool{timer.Stop(), newTimer(th, 1, nop).Stop()}, []bool{false, false}
			},
		} {
			if got, want := stops(start(t)); !slices.Equal(got, want) {
				t.Errorf("%s, %s: Stop returns %v, want %v", name, what, got, want)
			}
		}
	}
}

// Whatever the moment is, no tick is early, and the function does not run after Stop.
func TestTimer_isNeverEarly(t *testing.T) {
	r := seeded(t)
	th := start(t)
	var all testutil.Group
	for range 4 {
		r := fork(r)
		all.Go(func() {
			for n := range scaled(3000) {
				var stopped atomic.Bool
				var timer *thread.Timer
				d, ran := time.Duration(1+r.IntN(50_000)), int64(0)
				newTimer := []func(time.Duration, func()) *thread.Timer{th.AfterFunc, th.Every}[n%2]
				begin := time.Now()
				th.Call(func() {
					timer = newTimer(d, func() {
						ran++
						due := time.Duration(ran+timer.Missed()) * d
						if passed := time.Since(begin); passed < due {
							t.Errorf("every %v: tick %d and %d missed after %v", d, ran, timer.Missed(), passed)
						}
						if runtime.Gosched(); stopped.Load() {
							t.Error("runs after Stop")
						}
					})
				})
				for pause := time.Duration(r.IntN(100_000)); time.Since(begin) < pause; {
					runtime.Gosched()
				}
				if r.IntN(4) == 0 {
					go timer.Stop()
				}
				timer.Stop()
				stopped.Store(true)
			}
		})
	}
	ends(t, all.Wait)
	th.Call(nop)
}

func TestTimer_continuesAfterAPanic(t *testing.T) {
	for name, end := range map[string]func(){"panic": func() { panic(errBoom) },
		"Goexit": runtime.Goexit} {
		panics, keep := keepPanics()
		th := start(t, keep)
		ran := make(chan bool, 100)
		var timer *thread.Timer
		th.Call(func() {
			timer = th.Every(tick, func() {
				if ran <- true; len(ran) < 3 {
					end()
				}
				timer.Stop()
			})
		})
		eventually(t, func() bool { return len(ran) == 3 }, "the timer goes on")
		timer.Stop()
		for range 2 {
			if p := panics.take(); name == "panic" && (p == nil || p.Value != errBoom) ||
				name == "Goexit" && p != nil {
				t.Errorf("%s: the handler has %v", name, p)
			}
		}
	}
}

func TestEvery_panicsWithoutAPeriod(t *testing.T) {
	th := start(t)
	for _, c := range []struct {
		advice string
		f      func()
	}{
		{"must be positive", func() { th.Every(0, nop) }},
		{"must be positive", func() { th.Every(-time.Second, nop) }},
	} {
		mustPanic(t, c.f, c.advice)
	}
}

// Close does not wait for ticks to come, and what they refer to is let go.
func TestClose_doesNotWaitForTimers(t *testing.T) {
	for name, end := range map[string]func(*thread.Thread){"Close": (*thread.Thread).Close,
		"Terminate": (*thread.Thread).Terminate} {
		th := start(t)
		gone := make(chan struct{})
		func() {
			large := new([1 << 10]int)
			runtime.AddCleanup(large, func(c chan struct{}) { close(c) }, gone)
			f := func() { t.Error("ran", large[0]) }
			th.AfterFunc(time.Hour, f)
			th.Every(time.Hour, f)
		}()
		ends(t, func() { end(th) })
		testutil.Arrives(t, th.Done())
		eventually(t, func() bool { return collectedAndEnded(gone) }, name+" frees the function")
		runtime.KeepAlive(th)
	}
}

// A Timer keeps its Thread alive until it has no more to run.
func TestTimer_keepsItsThreadUntilItEnds(t *testing.T) {
	for name, newTimer := range timers {
		var ran atomic.Int32
		timer, done := func() (*thread.Timer, <-chan struct{}) {
			th := thread.New()
			return newTimer(th, 20*time.Millisecond, func() { ran.Add(1) }), th.Done()
		}()
		eventually(t, func() bool {
			runtime.GC()
			return ran.Load() > 0
		}, "a timer of a thread that was dropped runs")
		if name != "AfterFunc" {
			n := ran.Load()
			eventually(t, func() bool { return !collectedAndEnded(done) && ran.Load() > n+1 },
				"and runs again")
			timer.Stop()
		}
		eventually(t, func() bool { return collectedAndEnded(done) }, "the thread is reclaimed")
		runtime.KeepAlive(timer)
	}
}

// A tick takes no place in a limited queue.
func TestTimer_takesNoPlaceInALimitedQueue(t *testing.T) {
	th := start(t, thread.WithQueueLimit(1))
	busy := occupy(t, th.Go)
	th.Go(nop)
	var ran atomic.Bool
	th.AfterFunc(time.Microsecond, func() { ran.Store(true) })
	time.Sleep(tick)
	busy.Open()
	eventually(t, ran.Load, "it runs")
}

// Stopped Timers that are not due are freed, and with them what would have called them: timers, and
// for periods a file and a goroutine on Linux. The Go runtime keeps some stopped timers, up to a
// quarter of those that it has.
func TestTimer_isCollectedOnceStopped(t *testing.T) {
	th := start(t)
	for what, begin := range timers {
		var all []weak.Pointer[thread.Timer]
		for range 100 {
			timer := begin(th, time.Hour, nop)
			timer.Stop()
			all = append(all, weak.Make(timer))
		}
		eventually(t, func() bool {
			runtime.GC()
			all = slices.DeleteFunc(all, func(p weak.Pointer[thread.Timer]) bool {
				return p.Value() == nil
			})
			return len(all) < 50
		}, "most Timers of "+what)
	}
}
