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
func TestQueue_replacesTheLastMoveIfLong(t *testing.T) {
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

func TestQueue_letsGoOfEvents(t *testing.T) {
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

// Once there are enough blocks for what comes between two collections, none is allocated; pointers
// that the program keeps, any of them and for any time, are to the same event for ever.
func TestBlocks_areUsedAgain(t *testing.T) {
	const rounds, many = 50, 20
	var b blocks[MouseMoveEvent]
	kept := map[*MouseMoveEvent]MouseMoveEvent{}
	for round := range rounds {
		for n := range many * blockLen {
			p := b.add(MouseMoveEvent{X: float64(round), Y: float64(n)})
			if *p != (MouseMoveEvent{X: float64(round), Y: float64(n)}) {
				t.Fatalf("event %d of round %d is %v", n, round, *p)
			}
			if n%(3*blockLen) == round { // in a third of the blocks
				kept[p] = *p
			}
		}
		for p := range kept {
			if rand.IntN(2) == 0 {
				delete(kept, p)
			}
		}
		testutil.Eventually(t, func() bool { // finalizers have made blocks free
			runtime.GC()
			b.free.mu.Lock()
			defer b.free.mu.Unlock()
			return len(b.free.list) >= many/2
		}, "half of the blocks are free")
		for p, e := range kept {
			if *p != e {
				t.Fatalf("event %v has become event %v", e, *p)
			}
		}
	}
	if b.free.made > 5*many { // the finalizers of a few cycles may be behind
		t.Errorf("%d blocks have been allocated, where %d are in use between two collections",
			b.free.made, many)
	}
}
