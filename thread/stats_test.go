package thread_test

import (
	"cmp"
	"context"
	"math"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

func eachCounted(t *testing.T, check func(t *testing.T, th runner), opts ...thread.Option) {
	for name, w := range both(t, opts...) {
		t.Run(name, func(t *testing.T) { check(t, w) })
	}
}

func total(h thread.Histogram) (n uint64) {
	for _, c := range h.Buckets {
		n += c
	}
	return n
}

// sound checks what holds for all Stats of a thread whose times are measured.
func sound(t *testing.T, s thread.Stats) {
	t.Helper()
	if total(s.Waits) != s.Waits.Count || total(s.Runs) != s.Runs.Count ||
		s.Runs.Count > s.Waits.Count || s.Queued < 0 || s.Running < 0 || s.Busy < 0 {
		t.Errorf("contradictory: %+v", s)
	}
}

func TestStats_countsEachFunctionOnce(t *testing.T) {
	for _, timed := range []bool{false, true} {
		opts := []thread.Option{thread.WithQueueLimit(3)}
		if timed {
			opts = append(opts, thread.WithTimes())
		}
		eachCounted(t, func(t *testing.T, th runner) { countsEach(t, th, timed) }, opts...)
	}
}

// Posts of goroutines that are on no thread share records, of which each function counts.
func TestStats_countsEachPostThatIsRefused(t *testing.T) {
	th := thread.New()
	g := occupy(t, th.Go)
	for range 20 {
		th.Go(nop)
	}
	if s := th.Stats(); s.Queued != 20 {
		t.Errorf("%d functions are queued, want 20", s.Queued)
	}
	th.Terminate()
	th.Go(nop)
	if s := th.Stats(); s.Refused != 21 || s.Queued != 0 {
		t.Errorf("%d functions were refused and %d are queued, want 21 and none", s.Refused, s.Queued)
	}
	g.Open()
	testutil.Arrives(t, th.Done())
}

func countsEach(t *testing.T, th runner, timed bool) {
	check := func(what string, calls, posts, panicked, refused, withdrawn uint64, queued int) {
		t.Helper()
		s := th.Stats()
		sound(t, s)
		got := [...]uint64{s.Calls, s.Posts, s.Panicked, s.Refused, s.Withdrawn, uint64(s.Queued)}
		if want := [...]uint64{calls, posts, panicked, refused, withdrawn, uint64(queued)}; got != want {
			t.Errorf("%s: calls, posts, panics, refused, withdrawn and queued are %v, want %v", what, got,
				want)
		}
		if timed && s.Waits.Count != calls+posts || !timed && s.Waits.Count+s.Runs.Count != 0 {
			t.Errorf("%s: %d waits are measured", what, s.Waits.Count)
		}
	}
	check("a new thread", 0, 0, 0, 0, 0, 0)
	th.Call(nop)
	check("a call", 1, 0, 0, 0, 0, 0)
	th.Call(func() { th.Call(nop); _ = th.CallContext(labelled("a"), nop) })
	check("calls in place", 2, 0, 0, 0, 0, 0)
	_, _ = thread.EvalContext(t.Context(), th.(way).runner, func() error { return context.Canceled })
	_ = th.CallContext(labelled("a"), nop)
	recovered(func() { th.Call(func() { panic("x") }) })
	exits(t, func() { th.Call(runtime.Goexit) })
	check("panic and Goexit", 6, 0, 1, 0, 0, 0)
	th.Call(nil)
	th.Go(nil)
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	_ = th.CallContext(ended, nop)
	check("nil, and a context that is done", 6, 0, 1, 0, 1, 0)

	g := occupy(t, th.Go)
	check("a function that runs", 6, 1, 1, 0, 1, 0)
	for th.Stats().Running < 2*time.Millisecond {
		time.Sleep(time.Millisecond)
	}
	for th.TryGo(nop) {
	}
	check("posts up to the limit", 6, 1, 1, 1, 1, 3)
	ctx, cancel := context.WithCancel(context.Background())
	given := make(chan error)
	go func() { given <- th.CallContext(ctx, nop) }()
	eventually(t, func() bool { return th.Stats().Queued == 4 }, "the call is queued")
	cancel()
	testutil.Arrives(t, given)
	left := 3
	if th.(way).pool { // which has it in its queue until a thread comes to it
		left = 4
	}
	check("a call that is withdrawn", 6, 1, 1, 1, 2, left)
	time.Sleep(2 * time.Millisecond) // for which the posts wait
	busy := th.Stats().Busy
	g.Open()
	th.Call(nop)
	check("a queue that has been run", 7, 4, 1, 1, 2, 0)

	s := th.Stats()
	if s.Running != 0 || busy < 4*time.Millisecond || s.Busy < busy {
		t.Errorf("an idle thread has been running for %v, and was busy for %v, then %v", s.Running,
			busy, s.Busy)
	}
	if timed && (s.Runs.Quantile(1) < 2*time.Millisecond || s.Runs.Sum < 2*time.Millisecond ||
		s.Waits.Sum < 2*time.Millisecond) {
		t.Errorf("runs sum up to %v and waits to %v, although one took 2 ms and others waited for it",
			s.Runs.Sum, s.Waits.Sum)
	}
	if s.Wakeups.Parked == 0 && s.Wakeups.Spinning == 0 || s.Wakeups.EventLoop != 0 {
		t.Errorf("wake-ups: %+v", s.Wakeups)
	}

	g = occupy(t, th.Go)
	ctx, cancel = context.WithCancel(context.Background())
	th.GoContext(ctx, nop)
	cancel()
	check("a post that is to be withdrawn", 7, 5, 1, 1, 2, 1)
	g.Open()
	th.Call(nop)
	check("a post that is withdrawn", 8, 5, 1, 1, 3, 0)

	g = occupy(t, th.Go)
	th.Go(nop)
	th.Go(nop)
	th.Terminate()
	if s := th.Stats(); s.Queued != 0 || s.Running == 0 {
		t.Errorf("terminated: %d functions are queued, one has been running for %v", s.Queued, s.Running)
	}
	g.Open()
	th.Call(nop)
	eventually(t, func() bool { return th.Stats().Refused == 4 }, "the thread has ended")
	testutil.Arrives(t, th.Done())
	check("a thread that has ended", 8, 6, 1, 4, 3, 0)
}

// What waits for a slot is queued, too, and what was withdrawn is not.
func TestStats_hasWhatWaits(t *testing.T) {
	eachCounted(t, func(t *testing.T, th runner) {
		check := func(what string, want int) {
			t.Helper()
			if n := th.Stats().Queued; n != want {
				t.Errorf("%s: %d functions are queued, want %d", what, n, want)
			}
		}
		g := occupy(t, th.Go)
		for range 7 {
			th.Go(nop)
		}
		blocked := make(chan bool, 1)
		go func() { blocked <- th.Go(nop) }()
		eventually(t, func() bool { return th.Stats().Queued == 8 }, "one waits for a slot")
		ctx, cancel := context.WithCancel(context.Background())
		called := make(chan error, 2)
		for range 2 {
			go func() { called <- th.CallContext(ctx, nop) }()
		}
		eventually(t, func() bool { return th.Stats().Queued == 10 }, "two calls are queued")
		cancel()
		testutil.Arrives(t, called)
		testutil.Arrives(t, called)
		if !th.(way).pool {
			check("without those that were withdrawn", 8)
		}
		g.Open()
		testutil.Arrives(t, blocked)
		th.Call(nop)
		check("a queue that has been run", 0)
	}, thread.WithQueueLimit(7))
}

// A function runs, and the time grows, although nothing is measured. A loop inside of it stops
// that: it is no function, and what runs inside it is.
func TestStats_showsWhatRuns(t *testing.T) {
	running := func(th runner) bool { return th.Stats().Running != 0 }
	eachCounted(t, func(t *testing.T, th runner) {
		th.Go(runtime.Goexit)
		for range 1000 { // without a pause, so that the thread does not look at the clock each time
			th.Go(nop)
		}
		g := occupy(t, th.Go)
		eventually(t, func() bool { return th.Stats().Running > 2*time.Millisecond }, "time passes")
		g.Open()
		th.Call(nop)
		if running(th) {
			t.Error("an idle thread runs a function")
		}
	})
	adopted, inside, ended := make(chan *thread.Thread), make(chan bool), make(chan bool)
	ctx, endLoop := context.WithCancel(context.Background())
	go func() {
		defer close(ended)
		l := thread.Adopt()
		defer l.Close()
		outer, end := context.WithCancel(context.Background())
		l.Thread().Go(func() {
			_ = l.ServeContext(ctx)
			inside <- true
			<-inside
			end()
		})
		adopted <- l.Thread()
		_ = l.ServeContext(outer)
	}()
	h := testutil.Arrives(t, adopted)
	busy := func() time.Duration { return h.Stats().Busy }
	h.Call(nop)
	eventually(t, func() bool { return h.Stats().Running == 0 }, "the loop is idle")
	var before time.Duration
	eventually(t, func() bool {
		before = busy()
		time.Sleep(5 * time.Millisecond)
		return busy() == before
	}, "an idle loop is not busy")
	g := occupy(t, h.Go)
	eventually(t, func() bool { return h.Stats().Running != 0 && busy() > before },
		"what the loop runs is seen")
	g.Open()
	endLoop()
	testutil.Arrives(t, inside)
	eventually(t, func() bool { return h.Stats().Running != 0 }, "the function runs after its loop")
	inside <- true
	testutil.Arrives(t, ended)

	ends(t, func() {
		l := thread.Adopt()
		defer l.Close()
		h := l.Thread()
		running := func() bool { return h.Stats().Running != 0 }
		ctx, cancel := context.WithCancel(context.Background())
		var inside, waiting, blocked bool
		h.Go(func() {
			inside = running()
			l.OnWake(nop)
			l.Wait(func() { blocked = running(); h.Go(nop) })
			waiting = running()
			cancel()
		})
		_ = l.ServeContext(ctx)
		if !inside || blocked || !waiting || running() {
			t.Errorf("in a function %v, in a wait %v, after it %v, in the host's own code %v", inside,
				blocked, waiting, running())
		}
	})
}

// The frames of a Goexit are on the stack of the thread, whatever Thread it serves.
func TestStats_countsGoexits(t *testing.T) {
	eachCounted(t, func(t *testing.T, th runner) {
		th.Call(nop)
		before := th.Stats().Goexits // of the Thread that had the thread before
		for range 3 {
			th.Go(runtime.Goexit)
			exits(t, func() { th.Call(runtime.Goexit) })
			th.Call(func() { th.Call(nop) })
		}
		if s := th.Stats(); s.Goexits-before != 6 {
			t.Errorf("%d Goexits, want 6", s.Goexits-before)
		}
		th.Close()
	}, thread.WithKeep())
	eventually(t, func() bool {
		th := thread.New(thread.WithKeep())
		defer th.Close()
		th.Call(nop)
		return th.Stats().Goexits >= 6
	}, "a Thread gets the thread of another")
	served := make(chan thread.Stats, 1)
	go func() {
		l := thread.Adopt()
		h := l.Thread()
		ctx, cancel := context.WithCancel(context.Background())
		h.Go(runtime.Goexit)
		h.Go(runtime.Goexit)
		h.Go(cancel)
		defer func() { served <- h.Stats(); l.Close() }()
		_ = l.ServeContext(ctx)
	}()
	if s := testutil.Arrives(t, served); s.Goexits != 2 {
		t.Errorf("%d Goexits in ServeContext, want 2", s.Goexits)
	}
}

// No count goes back, and Stats makes no call slower: it has nothing observed.
func TestStats_growsOnly(t *testing.T) {
	for _, opts := range [][]thread.Option{nil, {thread.WithTimes()}} {
		eachCounted(t, func(t *testing.T, th runner) {
			const callers = 4
			n := uint64(scaled(3000))
			var all testutil.Group
			for range callers {
				all.Go(func() {
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					for range n {
						th.Call(nop)
						th.Go(nop)
						_ = th.CallContext(ctx, nop)
					}
				})
			}
			for before := th.Stats(); before.Calls+before.Posts < callers*3*n; {
				s := th.Stats()
				sound(t, s)
				if s.Calls < before.Calls || s.Posts < before.Posts || s.Runs.Sum < before.Runs.Sum ||
					s.Waits.Sub(before.Waits).Count > callers*3*n {
					t.Fatalf("from %+v to %+v", before, s)
				}
				before = s
			}
			all.Wait()
			th.Call(nop)
			if s := th.Stats(); s.Calls != 2*callers*n+1 || s.Posts != callers*n || s.Queued != 0 {
				t.Errorf("%d calls, %d posts, %d queued", s.Calls, s.Posts, s.Queued)
			}
		}, opts...)
	}
}

// MeasureTimes is for all threads, those made before and after it, and false undoes it but for
// those with the option.
func TestMeasureTimes_isForAllThreads(t *testing.T) {
	defer thread.MeasureTimes(false)
	count := func(th runner) uint64 { th.Call(nop); th.Call(nop); return th.Stats().Runs.Count }
	before, p, own := start(t), startPool(t, 2), start(t, thread.WithTimes())
	if n := count(before) + count(p); n != 0 || count(own) == 0 {
		t.Errorf("%d times are measured, and with WithTimes %d", n, count(own))
	}
	thread.MeasureTimes(true)
	after := start(t)
	if count(before) == 0 || count(p) == 0 || count(after) == 0 {
		t.Error("times are not measured")
	}
	thread.MeasureTimes(false)
	count(after) // the last that was queued while they were
	if n := count(after); count(after) != n {
		t.Error("times are still measured")
	}
	if n := count(own); count(own) == n {
		t.Error("MeasureTimes(false) has ended WithTimes")
	}
}

func TestStats_countsWakeUpsOfAnEventLoop(t *testing.T) {
	ends(t, func() {
		l := thread.Adopt()
		h := l.Thread()
		defer l.Close()
		woken := make(chan bool, 10)
		l.OnWake(func() { woken <- true })
		for range 3 {
			go h.Go(nop)
			<-woken
			l.Serve(0)
		}
		if s := h.Stats(); s.Posts != 3 || s.Wakeups.EventLoop != 3 || s.Wakeups.Parked != 0 {
			t.Errorf("%d posts, wake-ups %+v", s.Posts, s.Wakeups)
		}
	})
}

var bound = thread.HistogramBound

func TestHistogram_hasQuantiles(t *testing.T) {
	var h thread.Histogram
	const n = len(h.Buckets)
	if h.Quantile(0.5) != 0 || bound(0) != 0 || bound(1) != 100 || bound(n) != math.MaxInt64 {
		t.Errorf("empty, the median is %v, the bounds %v, %v … %v", h.Quantile(0.5), bound(0), bound(1),
			bound(n))
	}
	for i := range n {
		low, high := bound(i), bound(i+1)
		if high <= low || i > 0 && i < n-1 && float64(high)/float64(low) > 1.27 {
			t.Errorf("bucket %d is from %v to %v", i, low, high)
		}
		h.Buckets[i] = 1
	}
	h.Count, h.Sum = uint64(n), time.Hour
	all := []float64{math.Inf(-1), -1, 0, 0.1, 0.5, 0.9, 0.999, 1, 2, math.Inf(1)}
	if !slices.IsSortedFunc(all, func(a, b float64) int {
		return cmp.Compare(h.Quantile(a), h.Quantile(b))
	}) {
		t.Error("a quantile is less than that of a smaller share")
	}
	if last := bound(n - 1); h.Quantile(2) != last || h.Quantile(1) != last ||
		h.Quantile(math.NaN()) != 0 || h.Sub(h) != (thread.Histogram{}) {
		t.Errorf("the last quantile is %v, the histogram less itself %+v", h.Quantile(1), h.Sub(h))
	}
}

// A time is counted where the bounds say that it is.
func TestHistogram_countsATimeWithinItsBounds(t *testing.T) {
	th := start(t, thread.WithTimes())
	for _, d := range []time.Duration{0, time.Millisecond, 20 * time.Millisecond} {
		before := th.Stats().Runs
		var took time.Duration
		began := time.Now()
		th.Call(func() {
			inside := time.Now()
			time.Sleep(d)
			took = time.Since(inside)
		})
		whole := time.Since(began)
		h := th.Stats().Runs.Sub(before)
		i := slices.Index(h.Buckets[:], 1)
		if i < 0 || total(h) != 1 || bound(i+1) <= took || bound(i) > whole || h.Sum < took ||
			h.Sum > whole {
			t.Errorf("a function of %v to %v is in the bucket from %v to %v, sum %v", took, whole,
				bound(i), bound(i+1), h.Sum)
		}
		if q := h.Quantile(0.5); q < bound(i) || q >= bound(i+1) {
			t.Errorf("the median is %v", q)
		}
	}
}
