package freelist

import (
	"runtime"
	"sync"
	"testing"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
)

func TestNear(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var n Near[object]
	if n.Get() != nil {
		t.Fatal("the zero value has an object")
	}
	o, other := new(object), new(object)
	if !n.Put(o) || n.Put(other) {
		t.Error("there is room for none or for two")
	}
	if n.Get() != o || n.Get() != nil {
		t.Error("the object does not come out, or twice")
	}
}

func TestNear_concurrent(t *testing.T) {
	var n Near[object]
	var wg testutil.Group
	for range 4 {
		wg.Go(func() {
			for range 20000 {
				o := n.Get()
				if o == nil {
					o = new(object)
				}
				if o.used.Swap(true) {
					t.Error("an object in two hands")
					return
				}
				runtime.Gosched()
				o.used.Store(false)
				n.Put(o)
			}
		})
	}
	wg.Wait()
}

// Of 64 places, eight threads have one each in two runs of three.
func TestNear_places(t *testing.T) {
	if ident.ReadM() == 0 || runtime.GOARCH == "wasm" {
		t.Skip("threads cannot be told apart")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(minCells))
	const threads = 8
	var n Near[object]
	var put sync.WaitGroup
	var all testutil.Group
	put.Add(threads)
	for range threads {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			n.Put(new(object))
			put.Done()
			put.Wait() // the threads live at the same time
		})
	}
	all.Wait()
	kept := 0
	for i := range *n.places.Load() {
		if (*n.places.Load())[i].object.Load() != nil {
			kept++
		}
	}
	if size := len(*n.places.Load()); size != minCells || kept < threads/2 {
		t.Errorf("%d threads have %d places of %d", threads, kept, size)
	}
}

func BenchmarkThread(b *testing.B) {
	var n Near[object]
	o := new(object)
	for b.Loop() {
		n.Put(o)
		n.Get()
	}
}
