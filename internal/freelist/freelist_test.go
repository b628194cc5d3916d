package freelist

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/internal/rig/testutil"
)

func init() { go testutil.Collect() }

type object struct{ used atomic.Bool }

func TestList_grows(t *testing.T) {
	var l List[object]
	for _, n := range []int{1, minCells, minCells + 1, 5000, Max, Max + 1000} {
		put := map[*object]bool{}
		for range n {
			o := new(object)
			put[o] = true
			l.Put(o)
		}
		got := 0
		for o := l.Get(); o != nil; o = l.Get() {
			if !put[o] {
				t.Fatal("an object that was not put in, or twice")
			}
			delete(put, o)
			got++
		}
		if got != n && got != Max {
			t.Errorf("%d objects put in, %d came out", n, got)
		}
	}
}

func TestList_concurrent(t *testing.T) {
	var l List[object]
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			held := make([]*object, 0, 200)
			for i := range 20000 {
				if i%300 < 150 {
					o := l.Get()
					if o == nil {
						o = new(object)
					}
					if o.used.Swap(true) {
						t.Error("an object in two hands")
						return
					}
					held = append(held, o)
				} else if n := len(held); n > 0 {
					o := held[n-1]
					held = held[:n-1]
					o.used.Store(false)
					l.Put(o)
				}
			}
		}()
	}
	wg.Wait()
}

func TestList_Get_collected(t *testing.T) {
	var l List[[2]*byte] // small objects without pointers share memory
	l.Put(new([2]*byte))
	p := weak.Make(l.Get())
	testutil.Eventually(t, func() bool { runtime.GC(); return p.Value() == nil }, "it is collected")
	runtime.KeepAlive(&l)
}

func TestList_shrink(t *testing.T) {
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

func TestNewShrinking(t *testing.T) {
	l := NewShrinking[object]()
	for range 1000 {
		l.Put(new(object))
	}
	testutil.Eventually(t, func() bool {
		runtime.GC()
		return l.ring.Load().len() <= l.floor && len(l.ring.Load().cells) <= 2*minCells
	}, "the list has shrunk to %d objects", l.floor)
}

func TestNewShrinking_collected(t *testing.T) {
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
