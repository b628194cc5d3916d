package read

import (
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// whereAmI skips the test if the system does not identify threads.
func whereAmI(t *testing.T) {
	if _, err := strconv.Atoi(osthread.Here()); err != nil {
		t.Skip("this system does not identify threads")
	}
}

// A wanderer moves with each round: with one P, the goroutine that makes it ready runs on its thread, which ends with it.
func wanderer(rounds int) (moves uint64) {
	done := make(chan uint64)
	go func() {
		moves, at := uint64(0), osthread.Here()
		for range rounds {
			woken := make(chan bool)
			go func() {
				runtime.LockOSThread() // and ends so
				woken <- true
			}()
			<-woken
			if now := osthread.Here(); now != at {
				at = now
				moves++
			}
		}
		done <- moves
	}()
	return <-done
}

func TestMovesAreThoseThatTheSystemSees(t *testing.T) {
	whereAmI(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const rounds = 50
	var moved uint64
	r := analyse(t, func() { moved = wanderer(rounds) })
	if moved < rounds*9/10 {
		t.Skipf("only %d moves in %d rounds: this system runs it in another way", moved, rounds)
	}
	var m report.Mover
	for _, top := range r.Affinity.Top {
		if strings.HasSuffix(top.Function, ".wanderer.func1") {
			m = top
		}
	}
	if m.Moves != moved || m.Threads != moved+1 {
		t.Errorf("%d moves on %d threads, and the system saw %d moves", m.Moves, m.Threads, moved)
	}
	if of(m.Why, "channel")+of(m.Why, "preempted") != moved || of(m.Via, "handoff") < moved*9/10 {
		t.Errorf("moved because of %v, by %v; its P changed threads %d times", m.Why, m.Via, moved)
	}
	if len(m.Created) == 0 || !strings.HasSuffix(m.Created[0].Func, ".wanderer") {
		t.Errorf("created at %v", m.Created)
	}
	if f := findFunction(r, ".wanderer.func1.1"); f.Goroutines != rounds || f.Moves != 0 {
		t.Errorf("the others: %+v", f)
	}
}

func TestALockedGoroutineDoesNotMove(t *testing.T) {
	whereAmI(t)
	const rounds = 100
	var locked string
	r := analyse(t, func() {
		in, out := make(chan int), make(chan int)
		alsoIn, alsoOut := make(chan int), make(chan int)
		go lockedEcho(&locked, in, out)
		go freeEcho(alsoIn, alsoOut)
		for n := range rounds {
			in <- n
			alsoIn <- n
			if a, b := <-out, <-alsoOut; a != n || b != n {
				t.Errorf("%d came back as %d and %d", n, a, b)
			}
		}
		close(in)
		close(alsoIn)
		<-out
		<-alsoOut
	})
	if f := findFunction(r, ".lockedEcho"); f.Moves != 0 || f.Executions < rounds/2 {
		t.Errorf("the locked goroutine: %+v", f)
	}
	var found *report.LockedThread
	for i, l := range r.Locked {
		switch {
		case strings.HasSuffix(l.Function, ".lockedEcho"):
			found = &r.Locked[i]
		case strings.HasSuffix(l.Function, ".freeEcho"), strings.HasSuffix(l.Function, ".tRunner"):
			t.Errorf("takes this for a locked one: %+v", l)
		}
	}
	if found == nil {
		t.Fatalf("no locked thread among %+v", r.Locked)
	}
	if strconv.FormatInt(found.Thread, 10) != locked && runtime.GOOS == "linux" {
		t.Errorf("thread %d, and the system reports %s", found.Thread, locked)
	}
	if found.Evidence != report.HandedOver || found.Calls != 0 || found.Executions < rounds/2 {
		t.Errorf("%+v", found)
	}
	if found.Since+found.Running+found.Syscall+found.Idle != found.Until {
		t.Errorf("its time does not sum up: %+v", found)
	}
	if !slices.ContainsFunc(found.Waits, func(w report.Wait) bool {
		return strings.HasPrefix(w.Reason, "chan ") && w.N > 0 && w.Time > 0
	}) {
		t.Errorf("waited for %v", found.Waits)
	}
}

func lockedEcho(thread *string, in, out chan int) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	*thread = osthread.Here()
	freeEcho(in, out)
}

func freeEcho(in, out chan int) {
	for n := range in {
		out <- n
	}
	close(out)
}

func TestHowAThreadCameByAGoroutine(t *testing.T) {
	const here, there = 1, 2 // threads
	for _, c := range []struct {
		ready ready
		on    int32
		p     xtrace.ProcID
		want  string
	}{
		{ready{thread: here, proc: 5}, here, 5, waker},
		{ready{thread: here, proc: 5}, there, 5, handoff},
		{ready{thread: here, proc: 5}, there, 6, stolen},
		{ready{thread: here, proc: 5}, here, 6, stolen},
		{ready{thread: here, proc: 5, global: true}, there, 6, globalQueue},
	} {
		if got := via(&goroutine{ready: c.ready}, c.on, c.p); got != c.want {
			t.Errorf("%+v on thread %d with P %d: %v, want %v", c.ready, c.on, c.p, got, c.want)
		}
	}
}
