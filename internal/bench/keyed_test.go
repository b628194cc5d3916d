package bench

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

// BenchmarkKeyed is callers that call threads by key, one key after the other; all threads exist.
// The reference is what programs write by hand: a map from keys to the channels of locked
// goroutines. Fresh is what they write for network namespaces: a goroutine for each call that
// locks a thread for as long, here without the two system calls that enter the namespace and
// leave it. ns/op is the median.
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
				k := byHand{threads: map[int]chan job{}}
				defer k.close()
				byKey(b, keys, callers, func(key int) { _ = k.call(key, f) })
			})
			b.Run(named("fresh"), func(b *testing.B) {
				byKey(b, keys, callers, func(int) {
					done := make(chan error)
					go func() {
						runtime.LockOSThread()
						defer runtime.UnlockOSThread()
						done <- f()
					}()
					<-done
				})
			})
		})
	})
}

type job struct {
	f    func() error
	done chan error
}

// A byHand is a set of threads by key as programs write it by hand.
type byHand struct {
	mu      sync.Mutex
	threads map[int]chan job
}

func (k *byHand) call(key int, f func() error) error {
	k.mu.Lock()
	jobs := k.threads[key]
	if jobs == nil {
		jobs = make(chan job)
		k.threads[key] = jobs
		go func() {
			runtime.LockOSThread()
			for j := range jobs {
				j.done <- j.f()
			}
		}()
	}
	k.mu.Unlock()
	j := job{f, make(chan error, 1)}
	jobs <- j
	return <-j.done
}

func (k *byHand) close() {
	for _, jobs := range k.threads {
		close(jobs)
	}
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

// BenchmarkPostContext posts functions that end with a context. The reference posts a closure
// that asks the context.
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
