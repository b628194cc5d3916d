package read

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestGoroutinesAreCounted(t *testing.T) {
	const before, during = 20, 1000
	stay, leave := make(chan bool), make(chan bool)
	var began, ended sync.WaitGroup
	for range before {
		began.Add(1)
		go waiter(&began, &ended, stay)
	}
	began.Wait()
	there := uint64(runtime.NumGoroutine())
	r := analyse(t, func() {
		began.Add(during)
		for range during {
			ended.Add(1)
			go waiter(&began, &ended, leave)
		}
		began.Wait()
		close(leave)
		ended.Wait()
	})
	close(stay)

	if f := findFunction(r, ".waiter"); f.Goroutines != before+during || f.Executions < during {
		t.Errorf("%+v, want %d goroutines", f, before+during)
	}
	g := r.Goroutines
	if g.Created < during || g.Created > during+10 {
		t.Errorf("%d goroutines created, want %d and a few of the runtime", g.Created, during)
	}
	if g.First < there || g.First > there+20 {
		t.Errorf("first %d, want %d and those of the runtime", g.First, there)
	}
	if g.Peak < g.First+during || g.Peak > g.First+during+10 {
		t.Errorf("peak %d, want %d more than %d", g.Peak, during, g.First)
	}
	if g.System == 0 || g.System > g.Last-before {
		t.Errorf("%d of %d are the runtime's", g.System, g.Last)
	}
	p := g.Existing.Points
	if len(p) == 0 || p[0].At != 0 || p[0].Min != float64(g.First) || p[len(p)-1].Last != float64(g.Last) {
		t.Errorf("%+v has %+v", g, p)
	}
	if r.Table.Goroutines != g.Peak {
		t.Errorf("table: %+v", r.Table)
	}
}

func waiter(began, ended *sync.WaitGroup, until chan bool) {
	began.Done()
	<-until
	if until != nil {
		defer func() { recover() }() // those from before have no group to leave
		ended.Done()
	}
}

func TestThreadsThatRunAtOnceAreBusyAtOnce(t *testing.T) {
	if runtime.NumCPU() < 2 {
		t.Skip("needs two CPUs")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	var least time.Duration
	r := analyse(t, func() {
		var steps [2]atomic.Int32 // each waits for the other at each step, so one thread alone would take seconds
		var both sync.WaitGroup
		for me := range steps {
			both.Go(func() {
				for i := range int32(200) {
					for steps[me].Store(i + 1); steps[1-me].Load() <= i; {
					}
				}
			})
		}
		both.Wait()
		for start := time.Now(); least < 20*time.Millisecond; least = time.Since(start) {
		}
	})
	if n := r.Threads; n.Peak < 2 || n.Total < 2 || len(n.Busiest) < 2 || r.Table.Threads != n.Total {
		t.Errorf("%d threads, %d at once", n.Total, n.Peak)
	}
	var running time.Duration
	for _, th := range r.Threads.Busiest {
		running += th.Running
	}
	if running < least || running > 2*r.Trace.Duration+time.Millisecond {
		t.Errorf("threads ran for %v in %v on two Ps", running, r.Trace.Duration)
	}
	if r.Trace.GOMAXPROCS != 2 {
		t.Errorf("GOMAXPROCS %d", r.Trace.GOMAXPROCS)
	}
}

// What ends is forgotten.
func TestMemoryIsThatOfGoroutinesThatExist(t *testing.T) {
	data := record(t, func() {
		for range 5000 {
			var group sync.WaitGroup
			group.Go(func() {})
			group.Wait()
		}
	})
	a := newAnalysis()
	_, in, err := recognize(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if err := a.read(in, func() {}); err != nil {
		t.Fatal(err)
	}
	if a.sched.population.created < 5000 || len(a.sched.existing) > 1000 {
		t.Errorf("%d goroutines were created, %d are kept", a.sched.population.created, len(a.sched.existing))
	}
}
