package bench

import (
	"sync"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

// A function with an argument that is posted far more often than it need run: coalesced; each time, in a closure; and as it is
// written by hand, with the argument behind a mutex and a channel of one place to a locked goroutine.
func BenchmarkCoalesce(b *testing.B) {
	for _, w := range []way{
		{name: "thread", open: func() (Subject, func()) {
			t := thread.New()
			post := thread.Coalesce1(t, func(n int) { total = n })
			return posting{t, func(n int) { post(n) }}, t.Terminate
		}},
		{name: "closure", open: func() (Subject, func()) {
			t := thread.New()
			return posting{t, func(n int) { t.Go(func() { total = n }) }}, t.Terminate
		}},
		{name: "reference", open: func() (Subject, func()) {
			d := Struct().(pairs)
			l := &latest{due: make(chan pair, 1)}
			l.f = l.run
			d.queue = l.due
			return posting{d, l.post}, OnThread(d)
		}},
	} {
		measure(b, w, Post)
	}
}

// posting posts a function with an argument in place of what it is given.
type posting struct {
	Subject
	post func(n int)
}

func (p posting) Go(func()) bool {
	p.post(1)
	return true
}

type latest struct {
	mu  sync.Mutex
	n   int
	f   func() // l.run
	due chan pair
}

func (l *latest) post(n int) {
	l.mu.Lock()
	l.n = n
	l.mu.Unlock()
	select {
	case l.due <- pair{f: l.f}:
	default:
	}
}

func (l *latest) run() {
	l.mu.Lock()
	total = l.n
	l.mu.Unlock()
}
