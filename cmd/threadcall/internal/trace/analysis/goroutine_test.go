package analysis

import (
	"runtime"
	"sync"
	"testing"
)

func TestTrace_goroutines(t *testing.T) {
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

	if f := findFunction(r, ".waiter"); f.Goroutines != before+during {
		t.Errorf("%+v, want %d goroutines", f, before+during)
	}
	g := r.Goroutines // of which some are the runtime's; those of other tests may end meanwhile
	if g.Created < during || g.Created > during+10 || g.First <= before || g.First > there+20 ||
		g.Peak <= before+during || g.Peak > g.First+during+10 {
		t.Errorf("%+v; want %d at first, %d more, and some of the runtime", g, there, during)
	}
	if r.Threads < 1 {
		t.Errorf("%d threads", r.Threads)
	}
}

func waiter(began, ended *sync.WaitGroup, until chan bool) {
	began.Done()
	<-until
	defer func() { recover() }() // those from before have no group to leave
	ended.Done()
}
