package thread_test

import (
	"context"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// allocations returns how often f allocates per run once it is warm, on any thread. Other than
// testing.AllocsPerRun it lets f run on all Ps and does not round down. If it finds more than
// limit, it tries again: the process and the runtime allocate as well.
func allocations(runs int, limit float64, f func()) float64 {
	least := 1e9
	for i := 0; i < 20 && least > limit; i++ {
		time.Sleep(time.Duration(i) * time.Millisecond)
		var before, after runtime.MemStats
		for range runs {
			f()
		}
		runtime.ReadMemStats(&before)
		for range runs {
			f()
		}
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.Mallocs-before.Mallocs)/float64(runs))
	}
	return least
}

// uses are ways to have a function run that allocate nothing in the steady state.
func uses(t testing.TB) map[string]func() {
	type large [128]int
	th, other, p := start(t), start(t), startPool(t, 2)
	watched := start(t, thread.WithSlowCall(time.Minute, func(thread.SlowCall) {}))
	counted, countedPool := start(t, thread.WithTimes()), startPool(t, 2, thread.WithTimes())
	withLabels := labelled("a")
	nestLabels := func() { _ = th.CallContext(withLabels, nop) }
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	late := &ending{Context: ctx}
	var local thread.Local[large]
	n := 0
	evalInt := func() int { n++; return n }
	evalLarge := func() large { n++; return large{} }
	fails := func() error { n++; return context.Canceled }
	nest := func() {
		th.Call(nop)
		_ = th.CallContext(ctx, nop)
		thread.MustEval(th, evalInt)
	}
	nestPool := func() { p.Call(nop) }
	toOther := func() { other.Call(nop) }
	at, title := &point{}, "title"
	move := thread.Bind3(th, (*point).move)
	count := thread.Bind2V(th, func(s string, l large) large { n += len(s); return l })
	ended := start(t)
	ended.Terminate()
	refused := thread.BindGo1(ended, func(large) {})
	post, postLarge := thread.BindGo3(th, (*point).move), thread.BindGo1(th, func(large) {})
	redraw, resize := th.Coalesce(nop), thread.Coalesce1(th, func(large) {})
	assert := func() { th.Assert() }
	bindNest := func() { move(at, n, 1) }
	begin, served := make(chan bool), make(chan bool)
	t.Cleanup(func() { close(begin) })
	go func() {
		l := thread.Adopt()
		defer l.Close()
		l.OnWake(nop)
		h, serve := l.Thread(), func() { l.Serve(0) }
		for range begin {
			h.Go(serve)
			l.Serve(0)
			_ = h.CallContext(withLabels, serve)
			h.Go(nop)
			l.Serve(time.Hour)
			h.Go(nop)
			l.Wait(nop)
			l.Wait(nop)
			served <- true
		}
	}()
	ticked := make(chan struct{}, 1)
	timer := start(t).Every(100*time.Microsecond, func() {
		select {
		case ticked <- struct{}{}:
		default:
		}
	})
	t.Cleanup(func() { timer.Stop() })
	return map[string]func(){
		"Every":       func() { <-ticked; timer.Missed() },
		"Call":        func() { th.Call(nop) },
		"CallContext": func() { _ = th.CallContext(ctx, nop) },
		"Go":          func() { th.Go(nop); th.Call(nop) },
		"Go in a row": func() { postMany(th.Go); th.Call(nop) },
		"MustCall":    func() { th.MustCall(nop); p.MustCall(nop) },
		"MustEval":    func() { thread.MustEval(th, evalInt); thread.MustEval(p, evalLarge) },
		"mixed types": func() { thread.MustEval(th, evalInt); thread.MustEval(th, evalLarge) },
		"Pool.Call":   func() { p.Call(nop) },
		"Pool.Go":     func() { postMany(p.Go); p.Call(nop) },
		"TryGo":       func() { th.TryGo(nop); p.TryGo(nop); th.Call(nop); p.Call(nop) },
		"GoContext": func() {
			_ = th.GoContext(ctx, nop)
			_ = p.GoContext(ctx, nop)
			th.Call(nop)
			p.Call(nop)
		},
		"Pool.CallContext": func() { _ = p.CallContext(ctx, nop) },
		"EvalContext": func() {
			_, _ = thread.EvalContext(ctx, th, evalInt)
			_, _ = thread.EvalContext(ctx, p, evalLarge)
			_, _ = thread.EvalContext(ctx, th, fails)
		},
		"Bind": func() { n++; move(at, n, n); count(title, large{n}) },
		"BindGo": func() {
			for range 50 {
				post(at, n, 1)
				postLarge(large{})
			}
			th.Call(nop)
		},
		"BindGo, refused": func() { refused(large{}) },
		"Bind, nested":    func() { th.Call(bindNest) },
		"nested":          func() { th.Call(nest) },
		"nested, pool":    func() { p.Call(nestPool) },
		"thread calls":    func() { th.Call(toOther) },
		"Serve, Wait":     func() { begin <- true; <-served },
		"Local":           func() { local.Set(th, large{}); local.Get(th) },
		"watched": func() {
			watched.Go(nop)
			late.asked = 0
			_ = watched.GoContext(late, nop)
			watched.Call(nop)
		},
		"labels": func() {
			_ = th.CallContext(withLabels, nop)
			_ = p.CallContext(withLabels, nop)
		},
		"labels, nested": func() { th.Call(nestLabels) },
		"stats": func() {
			counted.Go(nop)
			counted.Call(nop)
			_ = counted.CallContext(ctx, nop)
			counted.Stats().Waits.Quantile(0.5)
		},
		"stats of a pool": func() { countedPool.Go(nop); countedPool.Call(nop); countedPool.Stats() },
		"On, ID":          func() { th.On(); th.ID(); p.ID() },
		"Assert":          func() { th.Call(assert) },
		"Done":            func() { th.Done(); p.Done() },
		"Coalesce": func() {
			for range 10 {
				redraw()
				resize(large{})
			}
			th.Call(nop)
		},
	}
}

// An ending context ends when it is asked for the second time, so GoContext gives up what it has
// begun to post.
type ending struct {
	context.Context
	asked int
}

func (c *ending) Err() error {
	if c.asked++; c.asked > 1 {
		return context.Canceled
	}
	return nil
}

func postMany(post func(func()) bool) {
	for range 50 {
		post(nop)
	}
}

func TestCalls_doNotAllocate(t *testing.T) {
	if raceEnabled || collecting {
		t.Skip("the race detector allocates, and the collector takes records that are not in use")
	}
	for name, f := range uses(t) {
		t.Run(name, func(t *testing.T) {
			ends(t, func() {
				if n := allocations(400, 0.01, f); n > 0.01 {
					t.Errorf("%v allocations a run", n)
				}
				if n := testing.AllocsPerRun(50, f); n != 0 {
					t.Errorf("%v allocations a run with one P", n)
				}
			})
		})
	}
}

// BenchmarkThread has each way to have a function run, by itself, for threadcall allocs to find
// what allocates. What they cost next to other designs is measured in rig/bench.
func BenchmarkThread(b *testing.B) {
	for name, f := range uses(b) {
		b.Run(name, func(b *testing.B) {
			f() // what is made the first time
			b.ReportAllocs()
			for b.Loop() {
				f()
			}
		})
	}
}
