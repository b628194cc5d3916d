package freelist

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
)

func TestShrinkingKeepsWhatIsInUse(t *testing.T) {
	const floor, inUse = minCells, 500
	l := &List[object]{floor: floor}
	l.armed.Store(true) // so that Put does not: only this test shrinks it
	for range 1000 {
		l.Put(new(object))
	}
	for range 20 {
		var held []*object
		for range inUse {
			held = append(held, l.Get())
		}
		for _, o := range held {
			if o == nil {
				t.Fatal("an object that is in use between all collections was given to the " +
					"collector")
			}
			l.Put(o)
		}
		l.shrink()
	}
	if n := l.ring.Load().len(); n > inUse+inUse/10 {
		t.Errorf("%d objects are kept, and %d are in use", n, inUse)
	}
	for range 20 {
		l.shrink()
	}
	n := 0
	for l.Get() != nil {
		n++
	}
	if n != floor {
		t.Errorf("%d objects are kept that are not in use, want %d", n, floor)
	}
}

func TestTheCollectorShrinksAList(t *testing.T) {
	l := NewShrinking[object]()
	for range 1000 {
		l.Put(new(object))
	}
	for start := time.Now(); l.ring.Load().len() > l.floor ||
		len(l.ring.Load().cells) > 2*minCells; runtime.GC() {
		if time.Since(start) > testutil.TimeLimit() {
			t.Fatalf("%d objects are kept, want %d", l.ring.Load().len(), l.floor)
		}
	}
}

func TestAListThatNothingUsesIsCollected(t *testing.T) {
	var p weak.Pointer[List[object]]
	func() {
		l := NewShrinking[object]()
		for range 1000 {
			l.Put(new(object))
		}
		p = weak.Make(l)
	}()
	testutil.Eventually(t, func() bool { runtime.GC(); return p.Value() == nil },
		"the list is collected")
}
