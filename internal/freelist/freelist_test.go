package freelist

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"weak"

	"github.com/threadcall/threadcall/internal/testutil"
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

// A list that is full only because a goroutine has not taken what it has claimed does not grow.
func TestList_Put_fullInPassing(t *testing.T) {
	var l List[object]
	for range minCells {
		l.Put(new(object))
	}
	r := l.ring.Load()
	r.get.Add(1) // what Get does first
	if l.Put(new(object)) || l.ring.Load() != r {
		t.Error("it takes one more, or has grown")
	}
}
