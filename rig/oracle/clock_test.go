//go:build go1.25

package oracle

import (
	"math/rand/v2"
	"reflect"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// TestRandomClocks runs random timers in bubbles, whose clock makes every time exact, and compares
// when each function began, how many ticks were missed and when Stop returned with what a
// sequential model says. THREADCALL_SEED=n begins with one program.
func TestRandomClocks(t *testing.T) {
	seed, _, limit := seedOf(t, *random/10)
	programs := 0
	for start := time.Now(); programs == 0 || time.Since(start) < limit; programs++ {
		p := randomClocks(rand.New(rand.NewPCG(seed, 1)))
		want := p.model()
		var got clockRun
		synctest.Test(t, func(*testing.T) { got = p.run() })
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("THREADCALL_SEED=%d go test -run TestRandomClocks ./rig/oracle\n"+
				"%+v\ngot  %v\nwant %v", seed, p, got, want)
		}
		seed++
	}
	t.Logf("%d programs", programs)
}

// A clock is a timer of a program. Times are since the program began.
type clock struct {
	Every                    bool          // or After
	Made, Period, Busy, Stop time.Duration // Busy is how long its function runs
}

type clockProgram []clock

// A clockRun is what has happened.
type clockRun struct {
	Begun   [][2]int64      // the number of a clock, and when, in this order
	Missed  []int64         // by clock
	Stopped []time.Duration // when Stop returned
}

func (p clockProgram) begin() clockRun {
	return clockRun{Missed: make([]int64, len(p)), Stopped: make([]time.Duration, len(p))}
}

// randomClocks makes a program in which no two things happen at the same nanosecond, but for those
// that follow from each other; or so rarely that it does not matter.
func randomClocks(r *rand.Rand) clockProgram {
	between := func(low, high time.Duration) time.Duration {
		return low + time.Duration(r.Int64N(int64(high-low)))
	}
	p := make(clockProgram, 1+r.IntN(5))
	for i := range p {
		c := &p[i]
		c.Every = r.IntN(3) > 0
		c.Made = between(0, time.Second)
		c.Period = between(time.Millisecond, 200*time.Millisecond)
		c.Busy = between(0, []time.Duration{1, time.Millisecond, 100 * time.Millisecond,
			time.Second}[r.IntN(4)])
		c.Stop = c.Made + between(1, 2*time.Second)
	}
	return p
}

// run runs the program in a bubble.
func (p clockProgram) run() clockRun {
	start := time.Now()
	th := thread.New()
	res := p.begin()
	var all sync.WaitGroup
	for i, c := range p {
		all.Go(func() {
			time.Sleep(c.Made)
			f := func() {
				res.Begun = append(res.Begun, [2]int64{int64(i), int64(time.Since(start))})
				time.Sleep(c.Busy)
			}
			set := th.AfterFunc
			if c.Every {
				set = th.Every
			}
			timer := set(c.Period, f)
			time.Sleep(c.Stop - c.Made)
			timer.Stop()
			res.Stopped[i] = time.Since(start)
			res.Missed[i] = timer.Missed()
		})
	}
	all.Wait()
	th.Close()
	return res
}

// model says what happens.
func (p clockProgram) model() clockRun {
	const never = time.Duration(1 << 62)
	res := p.begin()
	due := make([]time.Duration, len(p)) // of the next tick, if that is not in the past
	var queue []int
	running, now, end := -1, time.Duration(0), never
	for {
		next := end
		for i, c := range p {
			for _, t := range []time.Duration{c.Made, due[i], c.Stop} {
				if t > now {
					next = min(next, t)
				}
			}
		}
		if now = next; now == never {
			return res
		}
		for i, c := range p {
			switch now {
			case c.Made:
				due[i] = now + c.Period
			case due[i]:
				queue = append(queue, i)
			case c.Stop:
				due[i], res.Stopped[i] = 0, now
				if running == i {
					res.Stopped[i] = end
				}
			}
		}
		if now == end {
			running, end = -1, never
		}
		for running < 0 && len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			c := p[i]
			if now >= c.Stop {
				continue
			}
			res.Begun = append(res.Begun, [2]int64{int64(i), int64(now)})
			for tick := due[i]; c.Every && due[i] <= now; due[i] += c.Period {
				if due[i] > tick {
					res.Missed[i]++
				}
			}
			if c.Busy > 0 {
				running, end = i, now+c.Busy
			}
		}
	}
}
