package callq

import (
	"runtime"
	"runtime/debug"
	"sync"
	"testing"

	"github.com/threadcall/threadcall/internal/freelist"
	"github.com/threadcall/threadcall/internal/testutil"
)

// flood queues n records and takes them.
func (q *Queue) flood(t *testing.T, n int) {
	for range n {
		q.mustPush(t, Posted, 1)
	}
	for range n {
		q.Put(q.Take())
	}
}

// A second flood uses the records of the first, more than the free list holds.
func TestQueue_keepsTheRecordsOfAFlood(t *testing.T) {
	if testutil.Race || testutil.Collecting {
		t.Skip("sync.Pool loses records")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	q := New()
	const n = 3 * freelist.Max
	q.flood(t, n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	q.flood(t, n)
	runtime.ReadMemStats(&after)
	if b := float64(after.TotalAlloc-before.TotalAlloc) / n; b > 8 {
		t.Errorf("%.1f bytes a post in the second flood", b)
	}
	runtime.GC()
	runtime.GC()
	if s := q.spares.Load(); s == nil || s.slabs.Get() != nil {
		t.Error("the collector leaves records beyond the free list")
	}
	runtime.KeepAlive(q)
}

// Many goroutines give records back and take them at once; none is in two hands.
func TestQueue_sparesHaveOneOwner(t *testing.T) {
	q := New()
	var all sync.WaitGroup
	for range 4 {
		all.Add(1)
		go func() {
			defer all.Done()
			var mine []*Call
			for i := range 20_000 {
				if i%200 < 100 {
					c := q.spare()
					if c == nil {
						c = q.record()
					}
					if c.walk != 0 || c.next.Load() != nil {
						t.Errorf("a record of owner %d in a list: %v", c.walk, c.next.Load() != nil)
						return
					}
					c.walk = 1
					mine = append(mine, c)
				} else {
					c := mine[len(mine)-1]
					mine = mine[:len(mine)-1]
					c.walk = 0
					q.keep(c)
				}
			}
		}()
	}
	all.Wait()
}
