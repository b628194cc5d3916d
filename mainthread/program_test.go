package mainthread_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

// programs are what a main function could be. What they write reports whether they went as they
// should.
var programs = map[string]func(){
	"panic in main": func() {
		defer fmt.Println("a deferred call of the main goroutine") // as main's would, it does not run
		mainthread.Init(func() { explode("boom") })
	},

	"panics that nothing waits for": func() {
		mainthread.Init(func() {
			mainthread.Go(func() { explode("boom") })
			mainthread.Call(nop)
			main := mainthread.Thread()
			main.OnPanic(func(p *thread.PanicError) { fmt.Println("handled:", p.Value) })
			mainthread.Go(func() { explode("handed") })
			mainthread.Call(nop)
			fmt.Println(main.Stats().Panicked)
			main.OnPanic(nil)
			main.Coalesce(func() { explode("coalesced") })()
			mainthread.Call(nop)
		})
	},

	"panic on the main thread": func() {
		mainthread.Init(func() { mainthread.Call(func() { explode("boom") }) })
	},

	"goexit in main": func() {
		result := make(chan bool, 1)
		mainthread.Init(func() {
			begun := make(chan bool)
			running := func() { close(begun); time.Sleep(20 * time.Millisecond) }
			go func() { result <- mainthread.Call(running) }()
			<-begun
			defer fmt.Println("deferred")
			runtime.Goexit()
		})
		fmt.Println("Init returned, a running call came to its end:", <-result)
		fmt.Println("later calls run:", mainthread.Call(nop), mainthread.Go(nop))
		others := make(chan bool)
		go func() { others <- mainthread.Call(nop) || mainthread.Go(nop) }()
		fmt.Println("and elsewhere:", <-others)
	},

	"goexit in main after a recovered panic": func() {
		mainthread.Init(func() {
			defer runtime.Goexit() // replaces the panic
			explode("boom")
		})
		fmt.Println("Init returned")
	},

	"a panic in main during a goexit": func() {
		mainthread.Init(func() {
			defer explode("boom")
			runtime.Goexit()
		})
		fmt.Println("Init returned")
	},

	"a panic in main with a slow message": func() {
		mainthread.Init(func() { explode(slowMessage{}) })
		fmt.Println("Init returned")
	},

	"goexit in main and on the main thread": func() {
		defer fmt.Println("deferred")
		mainthread.Init(func() {
			callAndEnd(runtime.Goexit)
			runtime.Goexit()
		})
		fmt.Println("Init returned")
	},

	"terminating the main thread": func() {
		mainthread.Init(func() {
			fmt.Println(recovered(mainthread.Thread().Close))
			fmt.Println("lives on:", mainthread.Call(nop))
			mainthread.Call(func() { fmt.Println(recovered(mainthread.Thread().Terminate)) })
			fmt.Println(recovered(func() { _ = mainthread.Thread().Shutdown(context.Background()) }))
		})
		fmt.Println(recovered(mainthread.Thread().Terminate))
		<-mainthread.Thread().Done()
	},

	"goexit on the main thread": func() {
		defer fmt.Println("deferred")
		mainthread.Init(func() {
			callAndEnd(runtime.Goexit)
			fmt.Println("lives on:", mainthread.Call(nop))
		})
		fmt.Println("Init returned")
	},

	"goexit on the main thread, and a slow deferred call": func() {
		defer func() {
			time.Sleep(100 * time.Millisecond)
			fmt.Println("deferred")
		}()
		mainthread.Init(func() { callAndEnd(runtime.Goexit) })
	},

	"goexit on the main thread, and a status": func() {
		mainthread.Init(func() { callAndEnd(runtime.Goexit) })
		os.Exit(3)
	},

	"goexit on the main thread, and a status in a deferred call": func() {
		defer os.Exit(3)
		mainthread.Init(func() { callAndEnd(runtime.Goexit) })
	},

	"goexit on the main thread, and a status in Init's function": func() {
		mainthread.Init(func() {
			callAndEnd(runtime.Goexit)
			os.Exit(3)
		})
	},

	"goexit on the main thread, and a panic in a deferred call": func() {
		defer explode("boom")
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

	"the main goroutine ends": func() {
		go func() {
			fmt.Println("call:", mainthread.Call(nop), mainthread.Go(nop))
			os.Exit(0)
		}()
		runtime.Goexit()
	},

	"a missing Init": func() {
		// to wait for another thread is not to serve
		thread.New().Call(func() { time.Sleep(5 * time.Millisecond) })
		waits := make(chan bool)
		go func() { waits <- mainthread.CallContext(context.Background(), nop) == nil }()
		go func() { waits <- mainthread.Call(nop) }() // one report is enough
		<-waits
	},

	"Init comes late": func() {
		result := make(chan bool, 1)
		go func() { result <- mainthread.Call(func() { time.Sleep(6 * time.Second) }) }()
		time.Sleep(100 * time.Millisecond)
		mainthread.Init(func() { fmt.Println("result:", <-result) })
	},

	"after Init": func() {
		busy, release := make(chan bool), make(chan bool)
		waits := make(chan bool)
		running := make(chan bool, 1)
		ended := false
		defer mainthread.Call(func() { fmt.Println("deferred:", mainthread.On()) })
		mainthread.Init(func() {
			go func() {
				running <- mainthread.Call(func() {
					close(busy)
					<-release
					time.Sleep(5 * time.Millisecond)
					ended = mainthread.Call(nop) && !mainthread.Go(nop)
				})
			}()
			<-busy
			late := func() { fmt.Println("ran after Init's function had returned") }
			go func() { waits <- mainthread.Call(late) }()
			mainthread.Go(late)
			time.Sleep(5 * time.Millisecond)
			go func() {
				fmt.Println("waiting call:", <-waits) // at once, although the main thread is busy
				close(release)
			}()
		})
		fmt.Println("running call:", ended, <-running)
		fmt.Println("on the main goroutine:", mainthread.Call(nop), mainthread.Go(nop),
			mainthread.MustEval(func() int { return 1 }),
			errors.Is(mainthread.CallContext(context.Background(), nop), thread.ErrTerminated))
		mainthread.MustCall(nop)
		other := thread.New()
		fmt.Println("elsewhere:", thread.MustEval(other, func() bool {
			return mainthread.On() || mainthread.Call(nop) || mainthread.Go(nop)
		}))
	},

	"a loop without Init has ended": func() {
		loop.Serve(0)               // what init functions have posted
		mainthread.Thread().Stats() // which counts from now on
		waits := make(chan bool, 3)
		go func() {
			waits <- mainthread.Call(func() { fmt.Println("ran") })
			waits <- mainthread.Call(func() {
				go func() { waits <- mainthread.Call(nop) }()
				for mainthread.Thread().Stats().Queued == 0 {
					time.Sleep(time.Millisecond)
				}
				loop.Close() // runs what is queued
				fmt.Println("closed, and its own calls run:", mainthread.Call(nop), mainthread.Go(nop))
			})
		}()
		for isOpen(mainthread.Thread().Done()) {
			loop.Serve(0)
		}
		fmt.Println("waited:", <-waits, <-waits, <-waits)
		others := make(chan bool)
		go func() { others <- mainthread.Call(nop) || mainthread.Go(nop) || mainthread.On() }()
		fmt.Println("elsewhere:", <-others)
		fmt.Println("here:", mainthread.Call(nop), mainthread.On(), mainthread.Go(nop), loop.Serve(0))
		loop.Close()
		fmt.Println(recovered(func() { mainthread.Init(nop) }))
	},

	"a loop without Init is closed": func() {
		loop.Serve(0)
		mainthread.Thread().Stats()
		refused := make(chan bool)
		go func() {
			mainthread.Call(nop)
			refused <- mainthread.Call(nop)
		}()
		for mainthread.Thread().Stats().Queued == 0 {
			time.Sleep(time.Millisecond)
		}
		loop.Close()
		fmt.Println("refused:", !<-refused)
	},

	"the loop of Init is closed": func() {
		defer fmt.Println("deferred")
		mainthread.Init(func() {
			mainthread.Call(loop.Close)
			<-mainthread.Thread().Done()
			time.Sleep(10 * time.Millisecond)
			fmt.Println("Init's function goes on:", mainthread.Call(nop))
		})
		fmt.Println("Init returned")
	},

	"the loop of Init is closed, and goexit on the main thread": func() {
		mainthread.Init(func() {
			callAndEnd(runtime.Goexit)
			mainthread.Call(loop.Close)
			<-mainthread.Thread().Done()
			time.Sleep(10 * time.Millisecond)
			fmt.Println("Init's function goes on:", mainthread.Call(nop))
		})
	},

	"misuse": func() {
		fmt.Println(recovered(func() { mainthread.Init(nil) }))
		off := make(chan any)
		go func() { off <- recovered(func() { mainthread.Init(nop) }) }()
		fmt.Println(<-off)
		go func() { off <- recovered(func() { loop.Serve(0) }) }()
		fmt.Println(<-off)
		mainthread.Init(func() {
			fmt.Println(recovered(func() { mainthread.Init(nop) }))
			fmt.Println(recovered(func() { loop.ServeContext(context.Background()) }))
			mainthread.Call(func() { fmt.Println(recovered(func() { mainthread.Init(nop) })) })
			mainthread.Call(func() { fmt.Println(recovered(func() { thread.Adopt() })) })
		})
		fmt.Println(recovered(func() { mainthread.Init(nop) }))
	},
}

// A testProgram is what TestMain and a test, TestInit_hasATest, could be.
type testProgram struct {
	main func(*testing.M)
	test func(*testing.T)
}

var testPrograms = map[string]testProgram{
	"a test fails on the main thread":    {initAlone, onMain((*testing.T).FailNow)},
	"a test is skipped there":            {initAlone, onMain((*testing.T).SkipNow)},
	"a test passes there":                {initAlone, onMain(func(*testing.T) {})},
	"a test fails elsewhere":             {initAlone, (*testing.T).FailNow},
	"a test fails there, and a status":   {initThenExits, onMain((*testing.T).FailNow)},
	"a test fails there, as it should":   {initExits, onMain((*testing.T).FailNow)},
	"a test is skipped, as it should be": {initExits, onMain((*testing.T).SkipNow)},
}

func initAlone(m *testing.M) { mainthread.Init(func() { m.Run() }) }
func initExits(m *testing.M) { mainthread.Init(func() { os.Exit(m.Run()) }) }
func initThenExits(m *testing.M) {
	status := 0
	mainthread.Init(func() { status = m.Run() })
	os.Exit(status)
}

func onMain(f func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) { mainthread.Call(func() { f(t) }) }
}

func TestInit_hasATest(t *testing.T) {
	if f := testPrograms[os.Getenv("THREADCALL_PROGRAM")].test; f != nil {
		f(t)
	}
}

func isOpen(c <-chan struct{}) bool {
	select {
	case <-c:
		return false
	default:
		return true
	}
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

// A slowMessage is a panic value that is printed late: what another goroutine does meanwhile must
// not end the process.
type slowMessage struct{}

func (slowMessage) Error() string { time.Sleep(500 * time.Millisecond); return "slow" }

func TestInit_endsProgramsAsItSays(t *testing.T) {
	const (
		deadlock = "fatal error: all goroutines are asleep - deadlock!"
		goexit   = "threadcall: a function on the main thread has called runtime.Goexit"
	)
	for _, c := range []struct {
		name   string
		status int
		shows  []string // in this order
		hides  []string
		env    []string
	}{
		{name: "panic in main", status: 2, shows: []string{"panic: boom", "mainthread_test.explode"},
			hides: []string{"deferred"}},
		{name: "panic on the main thread", status: 2,
			shows: []string{"mainthread_test.explode", "panic: boom"}},
		{name: "panics that nothing waits for", shows: []string{
			"threadcall: panic on the main thread, in a function that no caller waits for: boom\n",
			"mainthread_test.explode", "\nhandled: handed\n2\n",
			"in a function that no caller waits for: coalesced\n",
		}},
		{name: "goexit in main", shows: []string{
			"deferred\n", "to its end: true\n", "run: true false\n", "elsewhere: false\n",
		}, hides: []string{goexit}},
		{name: "goexit in main after a recovered panic", shows: []string{"Init returned"}},
		{name: "a panic in main during a goexit", status: 2, shows: []string{"panic: boom"},
			hides: []string{"Init returned"}},
		{name: "a panic in main with a slow message", status: 2, shows: []string{"panic: ", "slow"},
			hides: []string{"Init returned"}},
		{name: "goexit in main and on the main thread", shows: []string{"deferred\n", goexit},
			hides: []string{"Init returned"}},
		{name: "terminating the main thread", shows: []string{"Close on the main thread, ",
			"given to mainthread.Init", "lives on: true", "Terminate on the main thread",
			"Shutdown on the main thread", "Terminate on the main thread"}},
		{name: "goexit on the main thread",
			shows: []string{"lives on: true\ndeferred\n", goexit, "status 0", "os.Exit(code)", "\n"},
			hides: []string{"Init returned", "went on"}},
		{name: "goexit on the main thread, and a slow deferred call",
			shows: []string{"deferred\n", goexit}, env: []string{"GOTRACEBACK=system"}},
		{name: "goexit on the main thread, and a status", shows: []string{goexit}},
		{name: "goexit on the main thread, and a status in a deferred call", status: 3,
			hides: []string{goexit}},
		{name: "goexit on the main thread, and a status in Init's function", status: 3,
			hides: []string{goexit}},
		{name: "goexit on the main thread, and a panic in a deferred call", status: 2,
			shows: []string{"panic: boom"}, hides: []string{goexit}},
		{name: "a test fails on the main thread", status: 2,
			shows: []string{"--- FAIL: TestInit_hasATest", goexit, "os.Exit(m.Run())", "\n"}},
		{name: "a test is skipped there", status: 2, shows: []string{goexit, "os.Exit(m.Run())"}},
		{name: "a test passes there", shows: []string{"PASS"}, hides: []string{goexit}},
		{name: "a test fails elsewhere", status: 1, shows: []string{"FAIL"}, hides: []string{goexit}},
		{name: "a test fails there, and a status", status: 2, shows: []string{"FAIL", goexit}},
		{name: "a test fails there, as it should", status: 1, shows: []string{"FAIL"},
			hides: []string{goexit}},
		{name: "a test is skipped, as it should be", shows: []string{"PASS"}, hides: []string{goexit}},
		{name: "goexit on the main thread and a panic in main", status: 2,
			shows: []string{"panic: boom", "mainthread_test.explode"}},
		{name: "main blocks for ever", status: 2, shows: []string{deadlock}},
		{name: "the main goroutine ends", shows: []string{
			"has waited for 5s for the main thread", "the main goroutine has ended", "call: false false",
		}},
		{name: "a missing Init", status: 2, shows: []string{
			"threadcall: a call made at ", "_test.go:", "has waited for 5s", "mainthread.Init(run)",
			"func TestMain(m *testing.M)",
			"THREADCALL_INIT_WARNING=off", "\n", deadlock,
		}},
		{name: "a missing Init", status: 2, shows: []string{deadlock}, hides: []string{"has waited"},
			env: []string{"THREADCALL_INIT_WARNING=off"}},
		{name: "Init comes late", shows: []string{"result: true"}, hides: []string{"has waited"}},
		{name: "after Init", shows: []string{
			"waiting call: false\n", "running call: true true\n",
			"on the main goroutine: true false 1 false\n", "elsewhere: false\n", "deferred: true\n",
		}},
		{name: "a loop without Init has ended", shows: []string{"ran\n",
			"closed, and its own calls run: true false\n", "waited: true true true\n",
			"elsewhere: false\n", "here: true true false 0\n", "Init after Loop().Close()"}},
		{name: "a loop without Init is closed", shows: []string{"refused: true\n"}},
		{name: "the loop of Init is closed", shows: []string{"goes on: false\n", "Init returned\n",
			"deferred\n"}},
		{name: "the loop of Init is closed, and goexit on the main thread",
			shows: []string{"goes on: false\n", goexit}},
		{name: "misuse", shows: []string{
			"nil: mainthread.Init", "Init off the main goroutine", "Serve of a Loop off its thread",
			"Init off the main goroutine", "ServeContext of a Loop off its thread", "Init called twice",
			"which package mainthread has; use mainthread.Loop",
			"Init called twice",
		}},
	} {
		t.Run(strings.Join(append([]string{c.name}, c.env...), " "), func(t *testing.T) {
			t.Parallel() // most wait: see TestMain
			if raceEnabled && slices.Contains(c.shows, deadlock) {
				t.Skip("with the race detector, the runtime finds no deadlocks in programs that lock threads")
			}
			out, status := testutil.Program(t, c.name, c.env...)
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
			if strings.Count(out, "has waited") > 1 {
				t.Error("more than one call says that it waits")
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
