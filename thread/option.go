package thread

import (
	"time"

	"github.com/threadcall/threadcall/internal/engine"
)

// An Option changes how a thread is made.
type Option func(*config)

type config struct {
	engine.Config
	slow   time.Duration
	notify func(SlowCall)
	handle func(*PanicError)
	hooks  hooks
}

// WithName names the thread, in messages of this package, in profiles and for the operating system:
// on Linux in ps -L, top -H, gdb and /proc/self/task/*/comm. The threads of a [Pool] are numbered:
// name-0, name-1 and so on.
//
// # Length
//
// SetName of package osthread lists the systems that have names of threads, and how many bytes each
// keeps: 15 on Linux. Those of a pool's threads are cut before the number, to 15.
//
// # Profiler label
//
// The name, in full, is also the profiler label thread of the functions that run there, beside the
// labels that they have (see [Thread.CallContext]). So CPU profiles, the profile of all goroutines,
// and since Go 1.27 stack traces show it. A function that sets labels by itself, pprof.Do included,
// loses it; the thread sets it again before it next waits. Goroutines that functions start inherit
// it. [Adopt] sets it in place of the labels of its goroutine. With it, calls with labels allocate.
func WithName(name string) Option {
	return func(c *config) { c.Name = name }
}

// WithQueueLimit makes Go wait while n functions that were given to Go are queued, so that
// producers do not outrun the thread. Go does not wait on the thread itself, nor in a function that
// the thread waits for, directly or through other threads, nor after Terminate or Close. Without
// the option, and for n below one, memory is the only limit.
func WithQueueLimit(n int) Option {
	return func(c *config) { c.Limit = n }
}

// WithKeep keeps the operating system's thread when the [Thread] or [Pool] ends, and lends it to
// the next one that is made with this option. It is for libraries that crash when a thread on which
// they have run ends, and for threads that live for a call or two, which take half the CPU time.
//
// # EGL
//
// One such library is EGL on Linux (libglvnd, with Mesa and others). It registers a destructor with
// each thread on which a context has been current. If EGL has been unloaded when the thread ends,
// as GLFW's Terminate and Ebitengine do, the process crashes in that destructor, even if the
// context was detached before. GLX does not do that.
//
// # What is kept
//
// Functions find the thread as earlier functions have left it: its namespaces, signal mask,
// affinity, name, priority, and the thread-local data of C libraries. A coroutine of [iter.Pull]
// that was made on the thread must be stopped before Terminate. A thread whose function of
// [WithStart] has failed, panicked or called [runtime.Goexit] is not kept. The program keeps as
// many threads as it has used at once until it ends.
//
// The option does nothing for [Adopt], and in a bubble of testing/synctest.
func WithKeep() Option {
	return func(c *config) { c.Keep = true }
}

// WithParking has the thread and its callers wait in the Go scheduler only: neither spins, that is,
// reads memory again and again for some microseconds in the hope that the other side answers. A
// call then costs what a message on a channel costs, in time and in CPU time.
//
// It is for programs whose CPU time or battery counts more than their latency. The environment
// variable THREADCALL_SPIN=off does the same for all threads of a process, the main thread too.
func WithParking() Option {
	return func(c *config) { c.Parks = true }
}

// WithTimes has [Thread.Stats] and [Pool.Stats] measure how long functions wait and run: Waits and
// Runs. Each call then costs three readings of the clock and two short locks: 0.2 µs where a
// reading takes 40 ns, 0.3 to 1 µs for a call that spins in a VM. [MeasureTimes] is for all.
func WithTimes() Option {
	return func(c *config) { c.Timed = true }
}

func options(opts []Option) config {
	if len(opts) == 0 {
		return config{Config: engine.Config{Own: true}} // which is not allocated
	}
	c := &config{Config: engine.Config{Own: true}}
	for _, o := range opts {
		if o != nil {
			o(c)
		}
	}
	return *c
}
