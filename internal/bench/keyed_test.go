package bench

import (
	"context"
	"sync"
	"testing"

	"github.com/threadcall/threadcall/keyed"
)

// BenchmarkKeyed is callers that call threads by key, one key after the other; all threads exist.
// The reference is what programs write by hand: a map from keys to the channels of locked
// goroutines. ns/op is the median.
func BenchmarkKeyed(b *testing.B) {
	ctx := context.Background()
	f := func() error { return nil }
	sizes(b, "keys", []int{1, 10, 100}, func(b *testing.B, keys int) {
		sizes(b, "callers", []int{1, 8}, func(b *testing.B, callers int) {
			b.Run(named("thread"), func(b *testing.B) {
				k := keyed.New(func(int) error { return nil }, nil)
				defer k.Close()
				byKey(b, keys, callers, func(key int) { _ = k.Call(ctx, key, f) })
			})
			b.Run(named("reference"), func(b *testing.B) {
				k := byHand{threads: map[int]Design{}}
				byKey(b, keys, callers, func(key int) { k.thread(key).Call(nop) })
				for _, stop := range k.stops {
					stop()
				}
			})
		})
	})
}

// A byHand is a set of threads by key as programs write it by hand.
type byHand struct {
	mu      sync.Mutex
	threads map[int]Design
	stops   []func()
}

func (k *byHand) thread(key int) Design {
	k.mu.Lock()
	defer k.mu.Unlock()
	d := k.threads[key]
	if d == nil {
		d = Struct()
		k.threads[key] = d
		k.stops = append(k.stops, OnThread(d))
	}
	return d
}

// A keyCaller calls by one key after the other.
type keyCaller struct {
	call      func(key int)
	key, keys int
}

func (c *keyCaller) Call(func()) bool {
	c.key = (c.key + 1) % c.keys
	c.call(c.key)
	return true
}

func (c *keyCaller) Go(f func()) bool { return c.Call(f) }

func byKey(b *testing.B, keys, callers int, call func(key int)) {
	all := make([]Subject, callers)
	for i := range all {
		all[i] = &keyCaller{call, i * keys / callers, keys}
	}
	for key := range keys {
		call(key)
	}
	b.ReportAllocs()
	b.ResetTimer()
	r := Pairs(all, Extent{N: b.N})
	b.StopTimer()
	r.Time = r.Quantile(50)
	report(b, r)
}
