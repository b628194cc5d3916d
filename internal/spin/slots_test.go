package spin

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/cores"
	"github.com/threadcall/threadcall/internal/testutil"
)

// hasCores makes the machine one on which n goroutines run at once.
func hasCores(t *testing.T, n int32) {
	cores, procs := Spinners.Cores.Swap(n), Spinners.Procs.Swap(n)
	checked := Spinners.Checked.Swap(int64(clock.Now() + time.Hour))
	t.Cleanup(func() {
		Spinners.Cores.Store(cores)
		Spinners.Procs.Store(procs)
		Spinners.Checked.Store(checked)
	})
}

// A thread and its caller need two cores.
func TestSlots_take(t *testing.T) {
	var s Slots
	s.Cores.Store(4)
	s.Procs.Store(5)
	now := time.Hour
	s.Checked.Store(int64(now))
	var first, second, third Lease
	if !s.Take(&first, now) || !s.Take(&second, now) || first.Slot == second.Slot || s.Free(now) != 0 {
		t.Fatal("four cores are not enough for two threads, or both have one slot")
	}
	if s.Take(&third, now) || third.Slot == nil || s.Free(now) != -1 {
		t.Error("they are enough for a third, or that does not count")
	}
	late := now + slotLease
	if !first.Renew(late) || !second.Renew(late) || s.Free(late+1) != 0 || !s.Take(&first, late+1) {
		t.Error("a slot is given away whose thread has shown itself")
	}
	late += slotLease + 1
	var fourth Lease
	if second.Renew(late) || !s.Take(&fourth, late) || s.Free(late) != 0 {
		t.Error("a slot is not given away whose thread has not shown itself for long")
	}
	if second.Leave(); second.Slot != nil {
		t.Error("a slot that was lost is kept")
	}
	if first.Leave(); s.Free(late) != 1 {
		t.Error("a slot is not given back, or one of another thread is")
	}
	if s.Procs.Store(1); s.Take(&fourth, late) {
		t.Error("a thread and its caller spin on one core")
	}
}

// A thread whose slot another one has taken gets one of its own again.
func TestSlots_take_again(t *testing.T) {
	var s Slots
	var mine, theirs Lease
	const now = time.Hour
	s.Take(&mine, now)
	first := mine.Slot
	if s.Take(&theirs, now+2*slotLease); theirs.Slot != first {
		t.Fatal("the slot of a thread that has had no calls is not given away")
	}
	if s.Take(&mine, now+2*slotLease); mine.Slot == first || !mine.Renew(now+2*slotLease) ||
		!theirs.Renew(now+2*slotLease) {
		t.Error("two threads have one slot")
	}
	for range s.slots {
		s.Take(new(Lease), now)
	}
	var none Lease
	if s.Take(&none, now) || none.Slot != nil {
		t.Error("there are more slots than there are")
	}
}

// Threads that take slots at the same time do not have more of the cores than there are.
func TestSlots_take_atOnce(t *testing.T) {
	var s Slots
	s.Cores.Store(6)
	s.Procs.Store(6)
	const now = time.Hour
	s.Checked.Store(int64(now))
	var spin, most atomic.Int32
	var all testutil.Group
	for range 8 {
		all.Go(func() {
			for range 1000 {
				var l Lease
				if s.Take(&l, now) {
					if n := spin.Add(1); n > most.Load() {
						most.Store(n)
					}
					runtime.Gosched()
					spin.Add(-1)
				}
				l.Leave()
			}
		})
	}
	all.Wait()
	if most.Load() > 3 {
		t.Errorf("%d threads spin on six cores", most.Load())
	}
}

// How many slots there are is looked up now and then.
func TestSlots_count_now(t *testing.T) {
	eventually(t, func() bool { return cores.Usable() != 0 }, "the number of cores is known")
	if runtime.GOARCH == "wasm" {
		t.Skip("nothing spins here")
	}
	n := runtime.GOMAXPROCS(0)
	defer runtime.GOMAXPROCS(n)
	var s Slots
	at := func(now time.Duration, ps int) int32 {
		runtime.GOMAXPROCS(ps)
		s.AtOnce(now)
		return s.Procs.Load()
	}
	for i, c := range []struct {
		after    time.Duration
		ps, want int
	}{{0, n, n}, {coresAreOf, n + 1, n}, {coresAreOf + 1, n + 1, n + 1}, {coresAreOf + 2, n, n + 1}} {
		if got := at(time.Hour+c.after, c.ps); int(got) != c.want {
			t.Errorf("%d: %d Ps, want %d", i, got, c.want)
		}
	}
	if s.Cores.Store(0); at(time.Hour+coresAreOf+3, n) != int32(n) || s.Cores.Load() == 0 {
		t.Error("what is not known is not looked up")
	}
}
