package load

import (
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// A world has the threads that last as long as the load.
type world struct {
	fault func(format string, args ...any)

	main    *thread.Thread
	gl      *thread.Thread // as a program would have one for a graphics context
	posted  *thread.Thread
	bounded *thread.Thread // has a queue limit
	busy    *thread.Thread // is kept busy while callers wait for it
	late    *thread.Thread // is kept busy until the callers' deadlines have passed
	a, b    *thread.Thread // call each other
	host    *host          // has an event loop
	pool    *thread.Pool
}

const limit = 64

func newWorld(fault func(format string, args ...any)) *world {
	return &world{
		fault:   fault,
		main:    mainthread.Thread(),
		gl:      thread.New(thread.WithName("soak-gl")),
		posted:  thread.New(thread.WithName("soak-posted")),
		bounded: thread.New(thread.WithName("soak-bounded"), thread.WithQueueLimit(limit)),
		busy:    thread.New(thread.WithName("soak-busy")),
		late:    thread.New(thread.WithName("soak-late")),
		a:       thread.New(thread.WithName("soak-a")),
		b:       thread.New(thread.WithName("soak-b")),
		host:    startHost(),
		pool:    thread.NewPool(2, thread.WithName("soak-pool")),
	}
}

func (w *world) end() {
	for _, t := range []*thread.Thread{w.gl, w.posted, w.bounded, w.busy, w.late, w.a, w.b} {
		t.Terminate()
	}
	w.host.end()
	w.pool.Terminate()
}

// must reports a fault unless what should hold does.
func (w *world) must(holds bool, what string) {
	if !holds {
		w.fault("not so: %s", what)
	}
}

func nop() {}
