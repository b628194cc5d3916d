package analysis

import (
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/threadid"
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

	if f := findFunction(r, ".waiter"); f.Goroutines != before+during || f.Executions < during {
		t.Errorf("%+v, want %d goroutines", f, before+during)
	}
	g := r.Goroutines // of which some are the runtime's
	if g.Created < during || g.Created > during+10 || g.First < there || g.First > there+20 ||
		g.Peak < g.First+during || g.Peak > g.First+during+10 || g.System == 0 ||
		g.System > g.Last-before {
		t.Errorf("%+v; want %d at first, %d more, and some of the runtime", g, there, during)
	}
	p := g.Existing.Points
	if len(p) == 0 || p[0].At != 0 || p[0].Min != float64(g.First) ||
		p[len(p)-1].Last != float64(g.Last) {
		t.Errorf("%+v has %+v", g, p)
	}
	n := r.Threads
	if r.Table.Goroutines != g.Peak || r.Table.Threads != n.Total || n.Peak < 1 || n.Total < n.Peak {
		t.Errorf("table: %+v, threads %+v", r.Table, n)
	}
}

func waiter(began, ended *sync.WaitGroup, until chan bool) {
	began.Done()
	<-until
	defer func() { recover() }() // those from before have no group to leave
	ended.Done()
}

// A wanderer moves with each round: with one P, the goroutine that makes it ready runs on its
// thread, which ends with it.
func wanderer(rounds int) (moves uint64) {
	done := make(chan uint64)
	go func() {
		moves, at := uint64(0), threadid.Here()
		for range rounds {
			woken := make(chan bool)
			go func() {
				runtime.LockOSThread() // and ends so
				woken <- true
			}()
			<-woken
			if now := threadid.Here(); now != at {
				at = now
				moves++
			}
		}
		done <- moves
	}()
	return <-done
}

// The system sees each move.
func TestTrace_moves(t *testing.T) {
	if _, err := strconv.Atoi(threadid.Here()); err != nil {
		t.Skip("this system does not identify threads")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rounds = 50
	var moved uint64
	r := analyse(t, func() { moved = wanderer(rounds) })
	if moved < rounds*9/10 {
		t.Skipf("only %d moves in %d rounds: this system runs it in another way", moved, rounds)
	}
	if f := findFunction(r, ".wanderer.func1"); f.Moves != moved {
		t.Errorf("%+v, and the system saw %d moves", f, moved)
	}
	if f := findFunction(r, ".wanderer.func1.1"); f.Goroutines != rounds || f.Moves != 0 {
		t.Errorf("the others: %+v", f)
	}
	if why := r.Affinity.Why[0]; why.Name != channelRecv {
		t.Errorf("moved because of %+v", r.Affinity.Why)
	}
}
