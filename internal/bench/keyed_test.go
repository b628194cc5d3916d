package bench

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// BenchmarkKeyed calls threads by a key in turn, which all exist. The reference is what programs write by hand: a map from keys to the
// channels of locked goroutines.
func BenchmarkKeyed(b *testing.B) {
	sizes(b, "keys", []int{1, 16}, func(b *testing.B, keys int) {
		ctx := context.Background()
		f := func() error { return nil }
		b.Run(named("thread"), func(b *testing.B) {
			k := thread.NewKeyed(func(int) error { return nil })
			defer k.Close()
			byKey(b, keys, func(key int) { _ = k.Call(ctx, key, f) })
		})
		b.Run(named("reference"), func(b *testing.B) {
			type job struct {
				f    func() error
				done chan error
			}
			var mu sync.Mutex
			threads := map[int]chan job{}
			defer func() {
				for _, jobs := range threads {
					close(jobs)
				}
			}()
			byKey(b, keys, func(key int) {
				mu.Lock()
				jobs := threads[key]
				if jobs == nil {
					jobs = make(chan job)
					threads[key] = jobs
					go func() {
						runtime.LockOSThread()
						for j := range jobs {
							j.done <- j.f()
						}
					}()
				}
				mu.Unlock()
				j := job{f, make(chan error, 1)}
				jobs <- j
				<-j.done
			})
		})
	})
}

func byKey(b *testing.B, keys int, call func(key int)) {
	for key := range keys {
		call(key)
	}
	b.ReportAllocs()
	b.ResetTimer()
	r := mean(func() int {
		return Extent{N: b.N}.batches(keys, func(n int) {
			for key := range n {
				call(key)
			}
		})
	})
	b.StopTimer()
	report(b, r)
}

// BenchmarkPostContexts posts functions with a context each, until so many are queued.
func BenchmarkPostContexts(b *testing.B) {
	t := thread.New()
	defer t.Terminate()
	contexts := make([]context.Context, 32000)
	for i := range contexts {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		contexts[i] = ctx
	}
	for _, queued := range []int{1, 1000, len(contexts)} {
		b.Run(fmt.Sprintf("%s/queued=%d", named("thread"), queued), func(b *testing.B) {
			b.ReportAllocs()
			var posting time.Duration
			n := Extent{N: b.N}.batches(queued, func(n int) {
				gate := make(chan bool)
				t.Go(func() { <-gate })
				start := time.Now()
				for _, ctx := range contexts[:n] {
					t.GoContext(ctx, nop)
				}
				posting += time.Since(start)
				close(gate)
				t.Call(nop)
			})
			report(b, Result{Time: float64(posting) / float64(n)})
		})
	}
}

// BenchmarkPostContext posts functions that end with a context. The reference posts a closure that asks the context.
func BenchmarkPostContext(b *testing.B) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	t := thread.New()
	defer t.Terminate()
	for _, s := range []struct {
		name string
		post func()
	}{
		{"thread", func() { t.GoContext(ctx, nop) }},
		{"try", func() { t.TryGo(nop) }},
		{"reference", func() {
			f := nop // which differs from post to post in a program
			t.Go(func() {
				if ctx.Err() == nil {
					f()
				}
			})
		}},
	} {
		b.Run(named(s.name), func(b *testing.B) {
			b.ReportAllocs()
			b.ResetTimer()
			r := mean(func() int {
				return Extent{N: b.N}.batches(100, func(n int) {
					for range n {
						s.post()
					}
					t.Call(nop)
				})
			})
			b.StopTimer()
			report(b, r)
		})
	}
}
