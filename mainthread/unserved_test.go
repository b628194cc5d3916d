package mainthread_test

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
)

func init() {
	maps.Copy(programs, unserved)
	maps.Copy(programs, served)
}

// unserved are programs in which a call waits for a thread that nothing serves. They end with the
// report of that, see reports.
var unserved = map[string]func(){
	"a loop of Wait has ended": func() {
		loop.OnWake(nop)
		loop.Wait(nop)
		go func() { mainthread.Call(nop) }()
		select {}
	},
	"ServeContext has ended": func() {
		serveFor(loop, time.Millisecond)
		go func() { mainthread.Call(nop) }()
		select {}
	},
	"Serve is not called any more": func() {
		loop.Serve(0)
		go mainthread.CallContext(context.Background(), nop)
		time.Sleep(time.Hour)
	},
	"a loop has left a call": func() {
		left := false
		loop.OnWake(nop)
		mainthread.Thread().Stats() // which counts from now on
		mainthread.Go(func() {
			go func() { mainthread.Call(nop) }()
			for mainthread.Thread().Stats().Queued == 0 {
				time.Sleep(time.Millisecond)
			}
			left = true
		})
		for !left {
			loop.Wait(nop)
		}
		select {}
	},
	"the loop has ended with its goroutine": func() {
		ended := make(chan bool)
		defer close(ended) // when Serve serves no longer, or the call would not be the watch's first
		go func() {
			<-ended
			mainthread.Call(nop)
		}()
		mainthread.Go(runtime.Goexit)
		loop.Serve(0)
	},
	"it waits for another thread": func() {
		go func() { mainthread.Call(nop) }()
		thread.New().Call(func() { select {} })
	},
	"adopt is not called": func() { thread.NewLoop(thread.WithName("loop")).Thread().Call(nop) },
	"an adopted goroutine never serves": func() {
		adopted := make(chan *thread.Thread)
		go func() {
			adopted <- thread.Adopt(thread.WithName("loop")).Thread()
			select {}
		}()
		(<-adopted).Call(nop)
	},
	"an adopted goroutine serves no longer": func() {
		adopted := make(chan *thread.Thread)
		go func() {
			l := thread.Adopt(thread.WithName("loop"))
			serveFor(l, time.Millisecond)
			adopted <- l.Thread()
			select {}
		}()
		(<-adopted).Call(nop)
	},
	"an adopted goroutine has ended": func() {
		adopted := make(chan *thread.Thread)
		go func() {
			l := thread.Adopt(thread.WithName("loop"))
			l.OnWake(nop)
			l.Serve(0)
			adopted <- l.Thread()
		}()
		(<-adopted).Call(nop)
	},
	"a post waits for a place": func() {
		t := thread.NewLoop(thread.WithName("loop"), thread.WithQueueLimit(1)).Thread()
		t.Go(nop)
		t.Go(nop)
	},
	"Close waits": func() {
		t := thread.NewLoop(thread.WithName("loop")).Thread()
		t.Close()
	},
	"another call is given up": func() {
		t := thread.NewLoop(thread.WithName("loop")).Thread()
		ctx, cancel := context.WithCancel(context.Background())
		t.Stats()
		go func() {
			for t.Stats().Queued < 2 {
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		go func() {
			for t.Stats().Queued < 1 {
				time.Sleep(time.Millisecond)
			}
			t.Call(nop)
		}()
		t.CallContext(ctx, nop)
		select {}
	},
	"others are given up": func() {
		t := thread.NewLoop(thread.WithName("loop")).Thread()
		for first := true; ; first = false {
			ctx, cancel := context.WithTimeout(context.Background(), 400*time.Millisecond)
			t.CallContext(ctx, nop)
			if cancel(); first {
				go t.Call(nop)
			}
		}
	},
}

// served are programs in which a call waits for as long, and nothing is to be reported.
var served = map[string]func(){
	"a function runs for long": func() {
		loop.OnWake(nop)
		loop.Serve(0)
		waits := make(chan bool, 2)
		go func() {
			waits <- mainthread.Call(func() { time.Sleep(long) })
			waits <- mainthread.Call(nop)
		}()
		for len(waits) < 2 {
			loop.Wait(nop)
		}
	},
	"it begins to serve, and a function runs for long": func() {
		mainthread.Thread().Stats()
		mainthread.Go(func() { time.Sleep(long) })
		go func() { mainthread.Call(nop); os.Exit(0) }()
		for mainthread.Thread().Stats().Queued < 2 {
			time.Sleep(time.Millisecond)
		}
		mainthread.Init(func() { select {} })
	},
	"a function runs for long in a cycle": func() {
		thread.New().Call(func() { mainthread.Call(func() { time.Sleep(long) }) })
	},
	"its native loop is in a dialog": func() {
		loop.OnWake(nop)
		loop.Serve(0)
		result := make(chan bool)
		go func() { result <- mainthread.Call(nop) }()
		time.Sleep(long)
		for ended := false; !ended; {
			loop.Serve(0)
			select {
			case <-result:
				ended = true
			default:
				time.Sleep(time.Millisecond)
			}
		}
	},
	"its loop computes": func() {
		result := make(chan bool)
		loop.OnWake(nop)
		loop.Wait(nop)
		go func() { result <- mainthread.Call(nop) }()
		for start := time.Now(); time.Since(start) < long; { // it does not block
		}
		go func() { <-result; os.Exit(0) }()
		for loop.Wait(nop) {
			runtime.Gosched()
		}
	},
	"calls have deadlines": func() {
		t := thread.NewLoop().Thread()
		for start := time.Now(); time.Since(start) < long; {
			ctx, cancel := context.WithTimeout(context.Background(), 600*time.Millisecond)
			for range 2 {
				go t.CallContext(ctx, nop)
				time.Sleep(400 * time.Millisecond)
			}
			cancel()
		}
	},
}

const long = 7 * time.Second

var loop = mainthread.Loop()

func serveFor(l *thread.Loop, d time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	_ = l.ServeContext(ctx)
}

// reports has the program end with the first line that it writes to standard error.
func reports() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	os.Stderr = w
	go func() {
		line, _ := bufio.NewReader(r).ReadString('\n')
		fmt.Print(line)
		os.Exit(0)
	}()
}

func TestCall_reportsAThreadThatNothingServes(t *testing.T) {
	const (
		isOver = "its goroutine waits for something else ("
		main   = "for the main thread, which nothing serves: "
		other  = `for thread "loop", which nothing serves: `
		adopt  = other + "call Adopt of its Loop, and serve, or Terminate"
	)
	for name, want := range map[string]string{
		"a loop of Wait has ended":              main + isOver,
		"ServeContext has ended":                main + isOver,
		"Serve is not called any more":          main + isOver,
		"a loop has left a call":                main + isOver,
		"the loop has ended with its goroutine": main + "the main goroutine has ended",
		"it waits for another thread":           main + "call mainthread.Init from main",
		"adopt is not called":                   adopt,
		"an adopted goroutine never serves":     other + "call Wait, Serve or ServeContext",
		"an adopted goroutine serves no longer": other + isOver,
		"an adopted goroutine has ended":        other + "its goroutine has ended",
		"a post waits for a place":              adopt,
		"Close waits":                           adopt,
		"another call is given up":              adopt,
		"others are given up":                   adopt,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits: see TestMain
			out, status := testutil.Program(t, name)
			at := " made at "
			switch name {
			case "a loop has left a call", "another call is given up",
				"others are given up",          // not the first
				"Serve is not called any more": // it is made by a go statement
				at = ""
			}
			if !strings.Contains(out, "threadcall: a call"+at) || !strings.Contains(out, want) ||
				at != "" && !strings.Contains(out, "/unserved_test.go:") || status != 0 {
				t.Errorf("status %d, output\n%swant\n%s", status, out, want)
			}
		})
	}
	for name := range served {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if out, status := testutil.Program(t, name); status != 0 || out != "" {
				t.Errorf("status %d, output\n%s", status, out)
			}
		})
	}
}
