// Package mainthread has the names of github.com/gopxl/mainthread, v1 and v2,
// github.com/faiface/mainthread, golang.design/x/mainthread and golang.design/x/runtime/mainthread,
// on package mainthread of threadcall. A program names the module in a replace directive for
// theirs, so that its dependencies, which it cannot change, use the same main thread as the program
// does; or it imports the package by its own path. README.md has the commands.
//
// Unlike there, nothing panics or blocks before Run, Go never waits, functions may call one
// another, a panic in a function of Call reaches the caller, and one in a function of Go is
// reported on standard error and does not end the process.
package mainthread

import (
	"context"
	"flag"
	"fmt"
	"os"
	"sync/atomic"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// CallQueueCap has no effect: the queue has no limit.
var CallQueueCap = 16

// A server is the thread that runs functions, and what posts to it.
type server struct {
	t    *thread.Thread
	post func(func()) bool
}

func serverOf(t *thread.Thread) *server { return &server{t, thread.BindGo1(t, noted)} }

var (
	onMain  = serverOf(mainthread.Thread())
	current atomic.Pointer[server] // onMain, or what stands in for it
	running atomic.Int32           // calls of Run on the main goroutine
)

func init() { current.Store(onMain) }

// Run runs run on a goroutine of its own, and serves the main thread until run has returned or
// called [runtime.Goexit]. It is called from the main goroutine, any number of times; functions
// that are queued when it returns wait for the next Run, or mainthread.Init of threadcall.
//
// Off the main goroutine, Run runs run in place. In a test whose TestMain does not call Run or
// Init, functions then run on a thread that stands in for the main thread.
//
// If a function on the main thread calls Goexit, the process ends with status 2 after run.
func Run(run func()) {
	if !mainthread.On() {
		runElsewhere(run)
		return
	}
	running.Add(1)
	defer running.Add(-1)
	current.Store(onMain)
	ctx, end := context.WithCancel(context.Background())
	go func() {
		defer func() {
			if v := recover(); v != nil {
				panic(v) // and the process ends, before Run could return
			}
			end()
		}()
		run()
	}()
	served := false
	defer func() {
		if !served {
			fmt.Fprintln(os.Stderr, "mainthread: a function on the main thread has called runtime.Goexit, "+
				"as t.FailNow, t.Fatal and t.Skip do, so Run cannot return; the process ends with status 2")
			os.Exit(2)
		}
	}()
	_ = mainthread.Loop().ServeContext(ctx)
	<-ctx.Done() // if mainthread.Init has ended the service before
	served = true
}

func runElsewhere(run func()) {
	inTests := flag.Lookup("test.v") != nil
	if inTests && running.Load() == 0 {
		if begun := runUnderInit(run); begun {
			return
		}
		if current.Load() == onMain {
			current.CompareAndSwap(onMain, serverOf(thread.New(thread.WithName("main, in a test"))))
		}
	}
	run()
}

// runUnderInit runs run if TestMain has called mainthread.Init of threadcall; else that panics.
func runUnderInit(run func()) (begun bool) {
	defer func() {
		if !begun {
			_ = recover()
		}
	}()
	mainthread.Init(func() { begun = true; run() })
	return begun
}

// Init is [Run].
func Init(main func()) { Run(main) }

// Go queues f to run on the main thread. A panic in f is reported, and [Error] returns it.
func Go(f func()) { current.Load().post(f) }

// CallNonBlock is [Go].
func CallNonBlock(f func()) { Go(f) }

// Call runs f on the main thread and returns after it. When mainthread.Init of threadcall has
// returned, f runs in place on the main thread; elsewhere Call blocks until the process ends.
func Call(f func()) {
	if s := current.Load(); !s.t.Call(f) {
		s.mayRunHere(f == nil)
		f()
	}
}

// CallErr is [Call] for a function with an error, which it returns.
func CallErr(f func() error) error { return CallVal(f) }

// CallV is [CallVal].
func CallV[T any](f func() T) T { return CallVal(f) }

// CallVal is [Call] for a function with a result, which it returns.
func CallVal[T any](f func() T) T {
	s := current.Load()
	v, err := thread.EvalContext(context.Background(), s.t, f)
	if err != nil {
		s.mayRunHere(f == nil)
		v = f()
	}
	return v
}

// mayRunHere blocks unless the caller is on the thread, or is about to call a nil function.
func (s *server) mayRunHere(isNil bool) {
	if !isNil && !s.t.On() {
		select {}
	}
}

// errs has the panics that Error has not returned.
var errs = make(chan error, 42)

// noted is what Go has the thread run.
func noted(f func()) {
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		err, ok := v.(error)
		if !ok {
			err = fmt.Errorf("%v", v)
		}
		select {
		case errs <- err:
		default:
		}
		panic(v) // which the thread reports
	}()
	f()
}

// Error removes and returns the oldest panic of a function of [Go], or nil. The first 42 are kept.
func Error() error {
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}
