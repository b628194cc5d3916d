package thread

import (
	"time"

	"github.com/threadcall/threadcall/internal/engine"
	"github.com/threadcall/threadcall/osthread"
)

// An Option changes how a thread is made.
type Option func(*config)

type config struct {
	name   string
	limit  int
	slow   time.Duration
	notify func(SlowCall)
	handle func(*PanicError)
	pool   bool
	keep   bool
	hooks
}

// WithName sets the name of the thread that the operating system shows, on Linux in ps -L, top -H,
// gdb and /proc/self/task/*/comm, and that appears in messages of this package. [osthread.SetName]
// has the systems, and how many bytes each keeps: 15 on Linux. Other systems have no thread names
// and ignore it. The threads of a [Pool] are given a number each: name-0, name-1 and so on, of at
// most 15 bytes: the name is cut, not the number.
//
// Functions on the thread run under the profiler label thread, with that name in full, in addition
// to the labels that they have (see [Thread.CallContext]) and in place of a label thread among
// these. So the samples of a CPU profile, the profile of all goroutines, and since Go 1.27 stack
// traces have the name. A function that sets labels by itself, pprof.Do included, runs without it
// from then on; the thread sets it again before it next waits. Goroutines that functions start
// inherit it, as any label. [Adopt] sets it in place of the labels that the goroutine had. A call
// with labels allocates where the thread has a name.
func WithName(name string) Option {
	return func(c *config) { c.name = name }
}

// WithQueueLimit makes Go wait while n functions that were given to Go are queued, for programs
// whose producers must not outrun the thread. Go from the thread itself never waits, nor does Go
// from a function that the thread waits for, directly or through other threads, nor Go after
// Terminate or Close. Without the option, and for n below one, memory is the only limit.
func WithQueueLimit(n int) Option {
	return func(c *config) { c.limit = n }
}

// WithKeep keeps the operating system's thread when the [Thread] or [Pool] ends, for the next that
// is made with this option, and takes one that was kept, if there is any. It is for libraries that
// crash when a thread ends on which they have run, and for threads that are made for a call or two:
// it takes half the CPU time that a new thread does.
//
// One such library is EGL on Linux (libglvnd, with Mesa and others): it leaves data with each
// thread on which a context has been current, and a destructor, which the C library calls when the
// thread ends. If EGL has been unloaded by then, as GLFW's Terminate and Ebitengine do, the process
// crashes in that destructor, whether the context was detached before or not. Done does not say
// that the operating system's thread has ended, so unloading cannot wait for it. GLX does not do
// that.
//
// The thread is reused as functions left it: its namespaces, signal mask, affinity, name, priority,
// what C libraries have stored with it. All functions of all such threads must be able to live with
// that. A coroutine of [iter.Pull] that was made on the thread must be stopped before Terminate. A
// thread whose function of [WithStart] has failed, panicked or called [runtime.Goexit] is not kept:
// it ends. The program keeps as many threads as it has used at once until it ends.
//
// In a bubble of testing/synctest, where no goroutine may stay, and for [Adopt] the option does
// nothing.
func WithKeep() Option {
	return func(c *config) { c.keep = true }
}

func options(opts []Option) config {
	if len(opts) == 0 {
		return config{} // which is not allocated
	}
	c := new(config)
	for _, o := range opts {
		if o != nil {
			o(c)
		}
	}
	return *c
}

// setup returns what is to run on the new thread first, or nil.
func (c config) setup() func() {
	// the engine keeps the function, which must not refer to other options: they may refer to the
	// Thread
	name := c.name
	if name == "" {
		return nil
	}
	// without a name, or with its beginning, the thread is as good
	return func() { _ = osthread.SetName(name); engine.LabelThread(name) }
}

// maxName is how many bytes Linux shows of a name.
const maxName = 15
