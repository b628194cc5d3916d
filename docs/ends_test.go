//go:build unix

package docs

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// The programs of ends.md, whose code TestPages_quoteTests compares.

func main() {
	status := 2 // if run calls runtime.Goexit
	mainthread.Init(func() { status = run() })
	os.Exit(status)
}

func run() (status int) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop() // a second SIGINT ends the process at once

	gl := thread.New(thread.WithStop(func() { mainthread.Call(destroyWindow) }))
	defer gl.Close() // after the workers, which call it

	var workers sync.WaitGroup
	defer workers.Wait()
	for range 4 {
		workers.Add(1)
		go func() {
			defer workers.Done()
			work(ctx, gl) // until ctx is done
		}()
	}

	<-ctx.Done()
	return 3
}

func destroyWindow() { fmt.Println("window destroyed on the main thread:", mainthread.On()) }

var interrupt sync.Once

// work calls both threads, and once more when it has been told to end.
func work(ctx context.Context, gl *thread.Thread) {
	for ctx.Err() == nil {
		gl.Call(func() {})
		mainthread.Call(func() {})
		interrupt.Do(func() { _ = syscall.Kill(os.Getpid(), syscall.SIGINT) })
		<-ctx.Done()
	}
	if !mainthread.Call(func() {}) || !gl.Call(func() {}) {
		fmt.Println("a worker's last call is refused")
	}
}

// An eventLoop stands for that of a library.
type eventLoop struct {
	events  chan bool
	workers sync.WaitGroup
}

func (w *eventLoop) wake() {
	select {
	case w.events <- true:
	default:
	}
}

func (w *eventLoop) waitEvents() { <-w.events }

func init() {
	programs["Init"] = main
	programs["a loop"] = func() {
		window := &eventLoop{events: make(chan bool, 1)}
		workers, open := &window.workers, true
		closed := make(chan bool)
		for range 4 {
			workers.Add(1)
			go func() {
				defer workers.Done()
				<-closed
				for range 100 {
					if !mainthread.Call(func() {}) {
						fmt.Println("a worker's call is refused")
					}
				}
			}()
		}
		go mainthread.Go(func() { open = false; close(closed) })

		loop := mainthread.Loop()
		loop.OnWake(window.wake)
		for open && loop.Wait(window.waitEvents) {
		}
		ctx, ended := context.WithCancel(context.Background())
		go func() { workers.Wait(); ended() }()
		_ = loop.ServeContext(ctx) // calls of the workers run, and of what they wait for
		loop.Close()               // later calls return false, and those that wait, at once

		on := mainthread.Call(func() {})
		late := make(chan bool)
		go func() { late <- mainthread.Call(func() {}) || mainthread.Go(func() {}) }()
		fmt.Println("afterwards:", on, <-late)
	}
	programs["after Init"] = func() {
		mainthread.Init(func() {})
		on := mainthread.Call(func() {}) // true: on the main goroutine, calls run in place
		posted := mainthread.Go(func() {})
		late := make(chan bool)
		go func() { late <- mainthread.Call(func() {}) }()
		fmt.Println("after Init:", on, posted, <-late)
	}
	programs["a function hangs"] = func() {
		gl := thread.New(thread.WithStop(func() { fmt.Println("stopped") }))
		begun := make(chan bool)
		gl.Go(func() { close(begun); select {} })
		<-begun
		const timeout = 10 * time.Millisecond

		ctx, cancel := context.WithTimeout(context.Background(), timeout)
		defer cancel()
		if err := gl.Shutdown(ctx); err != nil {
			gl.Terminate() // what waits does not run; what hangs goes on, and its thread with it
		}

		fmt.Println("ends; a later call:", gl.Call(func() {}))
	}
	programs["SIGINT"] = func() {
		defer fmt.Println("deferred")
		mainthread.Init(func() {
			gl, err := thread.Start(thread.WithStop(func() { fmt.Println("stopped") }))
			if err == nil {
				defer gl.Close()
				_ = syscall.Kill(os.Getpid(), syscall.SIGINT)
				time.Sleep(time.Hour) // until another thread gets the signal
			}
		})
	}
	programs["os.Exit"] = func() {
		mainthread.Init(func() {
			gl := thread.New(thread.WithStop(func() { fmt.Println("stopped") }))
			defer gl.Close()
			os.Exit(4)
		})
	}
	programs["Close on the main thread"] = func() {
		mainthread.Init(func() {
			gl := thread.New(thread.WithStop(func() { mainthread.Call(destroyWindow) }))

			mainthread.Call(func() {
				gl.Close() // runs the calls of the stop function meanwhile
				fmt.Println("the library ends")
			})
		})
	}
}

func TestEnds(t *testing.T) {
	for name, want := range map[string]string{
		"Init":                     "window destroyed on the main thread: true\n3",
		"a loop":                   "afterwards: true false\n0",
		"after Init":               "after Init: true false false\n0",
		"a function hangs":         "ends; a later call: false\n0",
		"SIGINT":                   "-1",
		"os.Exit":                  "4",
		"Close on the main thread": "window destroyed on the main thread: true\nthe library ends\n0",
	} {
		t.Run(name, func(t *testing.T) {
			out, status := testutil.Program(t, name)
			if got := fmt.Sprintf("%s%d", out, status); got != want {
				t.Errorf("got %s\nwant %s", strings.TrimSpace(got), want)
			}
		})
	}
}
