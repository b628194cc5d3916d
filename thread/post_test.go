package thread_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
)

func TestGoNeverBlocksHoweverMuchIsQueued(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			million := scaled(1_000_000)
			busy := occupy(t, s.post)
			ran := 0
			f := func() { ran++ }
			ends(t, func() {
				for range million {
					if !s.post(f) {
						t.Error("refused")
						return
					}
				}
			})
			busy.Open()
			ends(t, func() { s.call(nop) })
			if ran != million {
				t.Errorf("%d functions ran, want %d", ran, million)
			}
		})
	}
}

func TestGoNeverBlocksOnTheThreadItself(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			many := scaled(100_000)
			ran := 0
			ends(t, func() {
				s.call(func() {
					for range many {
						s.post(func() { ran++ })
					}
					if ran != 0 {
						t.Error("Go ran a function in place")
					}
				})
				s.call(nop)
			})
			if ran != many {
				t.Errorf("%d functions ran, want %d", ran, many)
			}
		})
	}
}

func TestAPostedFunctionMayPostTheNext(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			left := 10_000
			done := make(chan bool)
			var step func()
			step = func() {
				if left--; left > 0 {
					s.post(step)
				} else {
					close(done)
				}
			}
			s.post(step)
			arrives(t, done)
		})
	}
}

func TestThreadsMayPostToEachOther(t *testing.T) {
	a, b := start(t), start(t)
	var left atomic.Int32
	left.Store(10_000)
	done := make(chan bool)
	var ping, pong func()
	ping = func() {
		if left.Add(-1) > 0 {
			b.Go(pong)
		} else {
			close(done)
		}
	}
	pong = func() { a.Go(ping) }
	a.Go(ping)
	arrives(t, done)
}

func TestAPostedFunctionRunsThoughNobodyCalls(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			for _, pause := range []time.Duration{0, 50 * time.Microsecond, time.Millisecond, 50 * time.Millisecond} {
				time.Sleep(pause) // the thread rests differently after each
				ran := make(chan bool)
				s.post(func() { close(ran) })
				arrives(t, ran)
			}
		})
	}
}

func TestAFloodFromManyIsRunToTheLast(t *testing.T) {
	for name, s := range sources(t) {
		t.Run(name, func(t *testing.T) {
			const posters = 16
			each := scaled(20_000)
			ran := 0
			ends(t, func() {
				var all group.Group
				for range posters {
					all.Go(func() {
						for range each {
							s.post(func() { ran++ })
						}
						s.call(nop)
					})
				}
				all.Wait()
			})
			total := 0
			s.call(func() { total = ran })
			if total != posters*each {
				t.Errorf("%d functions ran, want %d", total, posters*each)
			}
		})
	}
}
