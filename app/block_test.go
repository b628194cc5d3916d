package app

import (
	"math/rand/v2"
	"runtime"
	"testing"
	"time"
)

// collect runs the garbage collector until its finalizers have made n blocks free.
func collect[E any](t *testing.T, f *freeBlocks[E], n int) {
	t.Helper()
	for start := time.Now(); ; time.Sleep(time.Millisecond) {
		runtime.GC()
		f.mu.Lock()
		free := len(f.list)
		f.mu.Unlock()
		if free >= n {
			return
		}
		if time.Since(start) > time.Minute {
			t.Fatalf("%d blocks are free, want %d", free, n)
		}
	}
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
		t.Errorf("%d blocks have been allocated, where %d are in use between two collections", b.free.made, many)
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
		for p, x := range kept {
			if p.X != x {
				t.Fatalf("event %v has become event %v", x, p.X)
			}
			break // one at a time; the map chooses
		}
	}
	for p, x := range kept {
		if p.X != x {
			t.Fatalf("event %v has become event %v", x, p.X)
		}
	}
	runtime.KeepAlive(kept)
}

// Free blocks do not keep what events referred to.
func TestBlocks_clear(t *testing.T) {
	var b blocks[DropEvent]
	for range blockLen + 1 {
		b.add(DropEvent{Paths: []string{"a"}})
	}
	collect(t, b.free, 1)
	for i, e := range b.free.list[0] {
		if e.Paths != nil {
			t.Fatalf("place %d of a free block holds %q", i, e.Paths)
		}
	}
}

func TestBlocks_bound(t *testing.T) {
	var f freeBlocks[FocusEvent]
	for range 2 * maxFree {
		f.put(new(block[FocusEvent]))
	}
	if len(f.list) != maxFree {
		t.Errorf("%d blocks are kept, want %d", len(f.list), maxFree)
	}
}

// A window that has been dropped, with a block that is not full, is collected.
func TestBlocks_window(t *testing.T) {
	gone := make(chan bool)
	func() {
		w := &struct {
			key blocks[KeyEvent]
		}{}
		w.key.add(KeyEvent{Key: KeyA})
		runtime.AddCleanup(w, func(struct{}) { close(gone) }, struct{}{})
	}()
	for start := time.Now(); ; runtime.GC() {
		select {
		case <-gone:
			return
		case <-time.After(time.Millisecond):
		}
		if time.Since(start) > time.Minute {
			t.Fatal("the window is not collected")
		}
	}
}

func BenchmarkEvent(b *testing.B) {
	q := newQueue()
	var m maker
	var h happening
	b.ReportAllocs()
	for range b.N {
		q.put(happening{kind: moveMouseKind, mouse: MouseMoveEvent{X: 1}})
		q.get(&h)
		m.event(&h)
	}
}
