package app

import (
	"math/rand/v2"
	"reflect"
	"runtime"
	"testing"
	"testing/quick"

	"github.com/threadcall/threadcall/internal/testutil"
)

// A queue does what a slice does: in a long one, a move replaces the move before it.
func TestQueue(t *testing.T) {
	check := func(steps []uint8) bool {
		q := newQueue()
		key, move := poster[KeyEvent](q), poster[MouseMoveEvent](q)
		var model []Event
		for i, s := range steps {
			for n := range int(s >> 1) {
				number := 1000*i + n
				switch {
				case s&1 == 0:
					var want Event
					if len(model) > 0 {
						want, model = model[0], model[1:]
					}
					if !reflect.DeepEqual(q.get(), want) {
						return false
					}
				case n%3 == 0:
					e := KeyEvent{Scancode: number}
					key(e)
					model = append(model, &e)
				default:
					e := MouseMoveEvent{X: float64(number)}
					move(e)
					if last := len(model) - 1; last+1 >= long {
						if _, same := model[last].(*MouseMoveEvent); same {
							model = model[:last]
						}
					}
					model = append(model, &e)
				}
			}
		}
		return q.len() == len(model)
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 200}); err != nil {
		t.Error(err)
	}
}

func TestQueue_memory(t *testing.T) {
	q := newQueue()
	poster[DropEvent](q)(DropEvent{[]string{"a"}})
	if e, ok := q.get().(*DropEvent); !ok || len(e.Paths) != 1 {
		t.Errorf("got %+v", e)
	}
	for i, e := range q.ring {
		if e != nil {
			t.Errorf("slot %d still holds %v", i, e)
		}
	}
	move := poster[MouseMoveEvent](q)
	if n := testing.AllocsPerRun(1000, func() {
		move(MouseMoveEvent{})
		q.get()
	}); n > 0 {
		t.Errorf("an event: %v allocations", n)
	}
}

// collect runs the garbage collector until its finalizers have made n blocks free.
func collect[E any](t *testing.T, f *freeBlocks[E], n int) {
	t.Helper()
	testutil.Eventually(t, func() bool {
		runtime.GC()
		f.mu.Lock()
		defer f.mu.Unlock()
		return len(f.list) >= n
	}, "%d blocks are free", n)
}

// Once there are enough blocks for what comes between two collections, none is allocated.
func TestBlocks_reuse(t *testing.T) {
	const rounds, many = 50, 20
	var b blocks[MouseMoveEvent]
	var sum float64
	for round := range rounds {
		for i := range many * blockLen {
			sum += b.add(MouseMoveEvent{X: float64(round), Y: float64(i)}).X
		}
		collect(t, b.free, many-1)
	}
	if want := float64(rounds*(rounds-1)/2) * many * blockLen; sum != want {
		t.Errorf("the sum of the events is %v, want %v", sum, want)
	}
	if b.free.made > 5*many { // the finalizers of a few cycles may be behind
		t.Errorf("%d blocks have been allocated, where %d are in use between two collections",
			b.free.made, many)
	}
}

// Pointers that the program keeps, any of them and for any time, are to the same event for ever.
func TestBlocks_kept(t *testing.T) {
	var b blocks[MouseMoveEvent]
	kept := map[*MouseMoveEvent]float64{}
	for n := range 200 * blockLen {
		p := b.add(MouseMoveEvent{X: float64(n)})
		if rand.IntN(100) == 0 {
			kept[p] = p.X
		}
		if n%(10*blockLen) == 0 {
			for p := range kept {
				if rand.IntN(2) == 0 {
					delete(kept, p)
				}
			}
			collect(t, b.free, 0)
		}
	}
	for p, x := range kept {
		if p.X != x {
			t.Fatalf("event %v has become event %v", x, p.X)
		}
	}
	runtime.KeepAlive(kept)
}
