//go:build go1.25

package oracle

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// TestRandomClocks runs random timers in bubbles, whose clock makes every time exact, and compares when each function began, how many
// ticks were missed and when Stop returned with what a sequential model says. THREADCALL_SEED=n runs one program.
func TestRandomClocks(t *testing.T) {
	seed, limit, once := uint64(time.Now().UnixNano()), 5*time.Second, false
	if testing.Short() {
		limit = time.Second
	}
	if s := os.Getenv("THREADCALL_SEED"); s != "" {
		n, err := strconv.ParseUint(s, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed, once = n, true
	}
	programs := 0
	for start := time.Now(); programs == 0 || time.Since(start) < limit; programs++ {
		p := randomClocks(rand.New(rand.NewPCG(seed, 1)))
		want := p.model()
		var got clockRun
		synctest.Test(t, func(*testing.T) { got = p.run() })
		if !got.equal(want) {
			t.Fatalf("THREADCALL_SEED=%d go test -run TestRandomClocks ./internal/verify/oracle\n%+v\ngot  %v\nwant %v", seed, p, got, want)
		}
		if !once {
			seed++
		}
	}
	t.Logf("%d programs", programs)
}

// A clock is a timer of a program, or a function that is posted once. Times are since the program began.
type clock struct {
	Kind   string        // After, Every or Go
	Made   time.Duration // when
	Period time.Duration // of After and Every
	Busy   time.Duration // for which its function runs
	Stop   time.Duration // when Stop is called
}

type clockProgram []clock

// A clockRun is what has happened.
type clockRun struct {
	Begun   []clockBegin    // in this order
	Missed  []int64         // by clock
	Stopped []time.Duration // when Stop returned
}

type clockBegin struct {
	Clock int
	At    time.Duration
}

func (r clockRun) equal(o clockRun) bool {
	return slices.Equal(r.Begun, o.Begun) && slices.Equal(r.Missed, o.Missed) && slices.Equal(r.Stopped, o.Stopped)
}

// randomClocks makes a program in which no two things happen at the same nanosecond, but for those that follow from each other; or
// so rarely that it does not matter.
func randomClocks(r *rand.Rand) clockProgram {
	between := func(low, high time.Duration) time.Duration { return low + time.Duration(r.Int64N(int64(high-low))) }
	p := make(clockProgram, 1+r.IntN(5))
	for i := range p {
		c := &p[i]
		c.Kind = []string{"After", "Every", "Every", "Go"}[r.IntN(4)]
		c.Made = between(0, time.Second)
		c.Period = between(time.Millisecond, 200*time.Millisecond)
		c.Busy = []time.Duration{0, between(1, time.Millisecond), between(1, 100*time.Millisecond), between(1, time.Second)}[r.IntN(4)]
		c.Stop = c.Made + between(1, 2*time.Second)
	}
	return p
}

// at returns when tick n is due, after the start.
func (c clock) at(n int64) time.Duration { return time.Duration(n) * c.Period }

// run runs the program in a bubble.
func (p clockProgram) run() clockRun {
	start := time.Now()
	th := thread.New()
	res := clockRun{Missed: make([]int64, len(p)), Stopped: make([]time.Duration, len(p))}
	var all sync.WaitGroup
	for i, c := range p {
		all.Add(1)
		go func() {
			defer all.Done()
			time.Sleep(c.Made)
			f := func() {
				res.Begun = append(res.Begun, clockBegin{i, time.Since(start)})
				time.Sleep(c.Busy)
			}
			var timer *thread.Timer
			switch c.Kind {
			case "After":
				timer = th.After(c.Period, f)
			case "Every":
				timer = th.Every(c.Period, f)
			case "Go":
				th.Go(f)
				return
			}
			time.Sleep(c.Stop - c.Made)
			timer.Stop()
			res.Stopped[i] = time.Since(start)
			res.Missed[i] = timer.Missed()
		}()
	}
	all.Wait()
	th.Close()
	return res
}

// model says what happens.
func (p clockProgram) model() clockRun {
	const never = time.Duration(1 << 62)
	type state struct {
		due     time.Duration // never if not armed
		n       int64
		stopped bool
	}
	res := clockRun{Missed: make([]int64, len(p)), Stopped: make([]time.Duration, len(p))}
	states := make([]state, len(p))
	for i := range states {
		states[i].due = never
	}
	var queue []int
	running, end := -1, never
	for {
		now, what, which := end, "end", running
		next := func(t time.Duration, w string, i int) {
			if t < now {
				now, what, which = t, w, i
			}
		}
		for i, c := range p {
			if s := &states[i]; s.n == 0 {
				next(c.Made, "made", i)
			} else if next(s.due, "due", i); !s.stopped && c.Kind != "Go" {
				next(c.Stop, "stop", i)
			}
		}
		if now == never {
			return res
		}
		c, s := p[which], &states[which]
		switch what {
		case "end":
			running, end = -1, never
		case "made":
			s.n = 1
			if c.Kind == "Go" {
				queue = append(queue, which)
			} else {
				s.due = now + c.at(1)
			}
		case "due":
			s.due = never
			queue = append(queue, which)
		case "stop":
			s.stopped, s.due = true, never
			if res.Stopped[which] = now; running == which {
				res.Stopped[which] = end
			}
		default:
			panic(fmt.Sprint("no such event: ", what))
		}
		for running < 0 && len(queue) > 0 {
			i := queue[0]
			queue = queue[1:]
			c, s := p[i], &states[i]
			if s.stopped {
				continue
			}
			res.Begun = append(res.Begun, clockBegin{i, now})
			if c.Kind == "Every" {
				for s.n++; c.Made+c.at(s.n) <= now; s.n++ {
					res.Missed[i]++
				}
				s.due = c.Made + c.at(s.n)
			}
			if c.Busy > 0 {
				running, end = i, now+c.Busy
			}
		}
	}
}
