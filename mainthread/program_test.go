package mainthread_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// programs are what a main function could be. What they write tells whether they went as they should.
var programs = map[string]func(){
	"panic in main": func() {
		defer fmt.Println("a deferred call of the main goroutine") // as main's would, it does not run
		mainthread.Init(func() { explode("boom") })
	},

	"panic on the main thread": func() {
		mainthread.Init(func() { mainthread.Call(func() { explode("boom") }) })
	},

	"panic in a posted function": func() {
		mainthread.Init(func() {
			boom := errors.New("boom")
			mainthread.Go(func() { panic(boom) })
			mainthread.Call(nop)
			err := mainthread.Error()
			fmt.Println(err, errors.Is(err, boom), mainthread.Error())
		})
	},

	"goexit in main": func() {
		mainthread.Init(func() {
			go func() {
				time.Sleep(5 * time.Millisecond)
				fmt.Println("the main thread still serves:", mainthread.Call(nop))
				os.Exit(3)
			}()
			runtime.Goexit()
		})
	},

	"goexit in main and nothing left": func() {
		mainthread.Init(runtime.Goexit)
	},

	"goexit on the main thread": func() {
		defer fmt.Println("deferred")
		mainthread.Init(func() {
			callAndEnd(runtime.Goexit)
			fmt.Println("lives on:", mainthread.Call(nop))
		})
		fmt.Println("Init returned")
	},

	"goexit on the main thread and a slow deferred call": func() {
		defer func() {
			time.Sleep(1500 * time.Millisecond)
			fmt.Println("deferred")
		}()
		mainthread.Init(func() { callAndEnd(runtime.Goexit) })
	},

	"goexit on the main thread and a panic in main": func() {
		mainthread.Init(func() {
			callAndEnd(runtime.Goexit)
			explode("boom")
		})
	},

	"main blocks for ever": func() {
		mainthread.Init(func() {
			mainthread.Call(nop)
			select {}
		})
	},

	"a call that blocks for ever": func() {
		mainthread.Init(func() { mainthread.Call(func() { select {} }) })
	},

	"nobody calls Init": func() {
		waits := make(chan bool)
		go func() { waits <- mainthread.Call(nop) }()
		<-waits
	},

	"before Init": func() {
		order := ""
		add := func(s string) func() { return func() { order += s } }
		mainthread.Go(add("1"))
		mainthread.Go(add("2"))
		fmt.Println("in place:", mainthread.Call(add("3")), order, mainthread.On())
		fmt.Println("result:", mainthread.CallV(func() int { return 42 }))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		fmt.Println("with a context:", mainthread.CallContext(ctx, nop), mainthread.CallContext(context.Background(), nop))

		var ran atomic.Bool
		result := make(chan bool)
		go func() { result <- mainthread.Call(func() { ran.Store(true) }) }()
		time.Sleep(20 * time.Millisecond)
		fmt.Println("another goroutine's ran:", ran.Load())
		mainthread.Init(func() { fmt.Println("with Init:", <-result, ran.Load()) })
	},

	"after Init": func() {
		busy, release := make(chan bool), make(chan bool)
		waits := make(chan bool)
		running := make(chan bool, 1)
		ended := false
		mainthread.Init(func() {
			go func() {
				running <- mainthread.Call(func() {
					close(busy)
					<-release
					time.Sleep(5 * time.Millisecond)
					ended = true
				})
			}()
			<-busy
			go func() { waits <- mainthread.Call(func() { fmt.Println("ran after Init's function had returned") }) }()
			mainthread.Go(func() { fmt.Println("ran after Init's function had returned") })
			time.Sleep(5 * time.Millisecond)
			go func() {
				fmt.Println("waiting call:", <-waits) // at once, although the main thread is busy
				close(release)
			}()
		})
		fmt.Println("running call:", ended, <-running)
		fmt.Println("on the main goroutine:", mainthread.Call(nop), mainthread.Go(nop), mainthread.CallV(func() int { return 1 }),
			errors.Is(mainthread.CallContext(context.Background(), nop), thread.ErrTerminated))
		others := make(chan bool)
		go func() { others <- mainthread.Call(nop) || mainthread.Go(nop) }()
		fmt.Println("elsewhere:", <-others)
	},

	"misuse": func() {
		fmt.Println(recovered(func() { mainthread.Init(nil) }))
		off := make(chan any)
		go func() { off <- recovered(func() { mainthread.Init(nop) }) }()
		fmt.Println(<-off)
		go func() { off <- recovered(func() { mainthread.Serve() }) }()
		fmt.Println(<-off)
		mainthread.Init(func() {
			fmt.Println(recovered(func() { mainthread.Init(nop) }))
			fmt.Println(recovered(func() { mainthread.ServeContext(context.Background()) }))
			mainthread.Call(func() { fmt.Println(recovered(func() { mainthread.Init(nop) })) })
			mainthread.Call(func() { fmt.Println(recovered(func() { thread.Adopt() })) })
		})
		fmt.Println(recovered(func() { mainthread.Init(nop) }))
	},

	"an event loop instead of Init": func() {
		events := make(chan bool, 1)
		mainthread.OnWake(func() {
			select {
			case events <- true:
			default:
			}
		})
		const calls = 10_000
		ran := 0
		done := make(chan bool)
		go func() {
			for range calls {
				mainthread.Call(func() { ran++ })
				mainthread.Go(func() { ran++ })
			}
			mainthread.Call(func() { close(done) })
		}()
		for open := true; open; {
			<-events
			mainthread.Serve()
			select {
			case <-done:
				open = false
			default:
			}
		}
		fmt.Println("ran:", ran == 2*calls)
	},

	"an event loop inside a call": func() {
		mainthread.Init(func() {
			events := make(chan bool, 1)
			wake := func() {
				select {
				case events <- true:
				default:
				}
			}
			const calls = 10_000
			ran := 0
			work := func() {
				for range calls {
					mainthread.Call(func() { ran++ })
					mainthread.Go(func() { ran++ })
				}
			}
			quit := false
			mainthread.Go(func() {
				mainthread.OnWake(wake)
				for !quit {
					<-events
					mainthread.Serve()
				}
				mainthread.OnWake(nil)
			})
			work()
			mainthread.Call(func() { quit = true })
			work()
			mainthread.Call(func() { fmt.Println("ran:", ran == 4*calls) })
		})
	},

	"threads and the main thread in a circle": func() {
		mainthread.Init(func() {
			th := thread.New()
			ran := 0
			for range 100 {
				mainthread.Call(func() { th.Call(func() { mainthread.Call(func() { th.Call(func() { ran++ }) }) }) })
			}
			fmt.Println("ran:", ran)
		})
	},
}

// callAndEnd calls f, which ends its caller's goroutine, on the main thread.
func callAndEnd(f func()) {
	ended := make(chan bool)
	go func() {
		defer close(ended)
		mainthread.Call(f)
		fmt.Println("the goroutine went on")
	}()
	<-ended
}

//go:noinline
func explode(v any) { panic(v) }

func TestPrograms(t *testing.T) {
	const deadlock = "fatal error: all goroutines are asleep - deadlock!"
	for _, c := range []struct {
		name   string
		status int
		shows  []string // in this order
		hides  []string
		env    []string
	}{
		{name: "panic in main", status: 2, shows: []string{"panic: boom", "mainthread_test.explode"}, hides: []string{"deferred"}},
		{name: "panic on the main thread", status: 2, shows: []string{"mainthread_test.explode", "panic: boom"}},
		{name: "panic in a posted function", shows: []string{"panic: boom true <nil>"}},
		{name: "goexit in main", status: 3, shows: []string{"still serves: true"}},
		{name: "goexit in main and nothing left", status: 2, shows: []string{deadlock}},
		{name: "goexit on the main thread", shows: []string{"lives on: true\ndeferred\n"}, hides: []string{"Init returned", "went on"}},
		{name: "goexit on the main thread", shows: []string{"lives on: true\ndeferred\n"}, env: []string{"GOTRACEBACK=system"}},
		{name: "goexit on the main thread and a slow deferred call", shows: []string{"deferred"}},
		{name: "goexit on the main thread and a panic in main", status: 2, shows: []string{"panic: boom", "mainthread_test.explode"}},
		{name: "main blocks for ever", status: 2, shows: []string{deadlock}},
		{name: "a call that blocks for ever", status: 2, shows: []string{deadlock}},
		{name: "nobody calls Init", status: 2, shows: []string{deadlock}},
		{name: "before Init", shows: []string{
			"in place: true 123 true\n", "result: 42\n", "with a context: context canceled <nil>\n",
			"another goroutine's ran: false\n", "with Init: true true\n",
		}},
		{name: "after Init", shows: []string{
			"waiting call: false\n", "running call: true true\n", "on the main goroutine: false false 0 true\n", "elsewhere: false\n",
		}},
		{name: "misuse", shows: []string{
			"Init(nil)", "Init off the main goroutine", "Serve off the thread",
			"Init off the main goroutine", "ServeContext off the thread", "Init called twice", "Adopt on a thread that is",
			"Init called twice",
		}},
		{name: "an event loop instead of Init", shows: []string{"ran: true"}},
		{name: "an event loop inside a call", shows: []string{"ran: true"}},
		{name: "threads and the main thread in a circle", shows: []string{"ran: 100"}},
	} {
		t.Run(strings.Join(append([]string{c.name}, c.env...), " "), func(t *testing.T) {
			if raceEnabled && c.shows[0] == deadlock {
				t.Skip("with the race detector, the runtime finds no deadlocks in programs that lock threads")
			}
			out, status := run(t, c.name, c.env...)
			if status != c.status {
				t.Errorf("exit status %d, want %d", status, c.status)
			}
			rest := out
			for _, want := range c.shows {
				_, after, found := strings.Cut(rest, want)
				if !found {
					t.Errorf("it does not show %q, or not in this place", want)
					break
				}
				rest = after
			}
			for _, bad := range c.hides {
				if strings.Contains(out, bad) {
					t.Errorf("it shows %q", bad)
				}
			}
			if t.Failed() {
				t.Log(out)
			}
		})
	}
}
