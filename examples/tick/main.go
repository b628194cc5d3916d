// A thread that does something every 2.67 ms, as a sound card asks for 128 frames at 48 kHz, and how late it comes.
//
//	go -C examples run ./tick
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/examples/internal/meter"
	"github.com/threadcall/threadcall/thread"
)

var (
	period   = flag.Duration("period", 128*time.Second/48000, "from one tick to the next")
	realtime = flag.Int("realtime", 0, "give the threads a real-time `priority` from 1 on (Linux, as root)")
)

// every runs f after each period, on a thread of its own, until stop has returned. Began is from when the periods count.
func every(f func()) (began time.Time, stop func(), err error) {
	t, err := thread.Start(thread.WithName("audio"), thread.WithStart(prioritise))
	if err != nil {
		return began, nil, err
	}
	began = time.Now()
	timer := t.Every(*period, f)
	return began, func() {
		timer.Stop()
		t.Close()
	}, nil
}

// ticker does the same without this library.
func ticker(f func()) (began time.Time, stop func(), err error) {
	started := make(chan error)
	end, ended := make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		runtime.LockOSThread()
		if err := prioritise(); err != nil {
			started <- err
			return
		}
		began = time.Now()
		t := time.NewTicker(*period)
		defer t.Stop()
		started <- nil
		for {
			select {
			case <-t.C:
				f()
			case <-end:
				return
			}
		}
	}()
	if err := <-started; err != nil {
		return began, nil, err
	}
	return began, func() { close(end); <-ended }, nil
}

// prioritise gives the calling thread the priority that the user asks for. The thread ends with what uses it.
func prioritise() error {
	if *realtime == 0 {
		return nil
	}
	return setRealtime(*realtime)
}

func main() {
	flag.Set("round", "500ms") // unless the user sets it
	flag.Parse()
	cores := runtime.NumCPU()
	ticks, wrong := 0, 0
	for _, l := range []struct {
		name          string
		ps, computing int
	}{
		{"no load", cores, 0},
		{fmt.Sprintf("%d goroutines compute", cores), cores, cores},
		{fmt.Sprintf("%d goroutines compute, GOMAXPROCS=%d", cores, cores+1), cores + 1, cores},
	} {
		runtime.GOMAXPROCS(l.ps)
		results := []*result{{name: "time.Ticker", way: ticker}, {name: "thread.Every", way: every}}
		for round := range *meter.Rounds {
			for i := range results {
				if err := results[(i+round)%len(results)].measure(l.computing); err != nil {
					log.Fatal("tick: ", err)
				}
			}
		}
		fmt.Printf("%s; a tick every %v, %d rounds of %v (lowest to highest)\n", l.name, *period, *meter.Rounds, *meter.Round)
		print(results)
		for _, r := range results {
			ticks, wrong = ticks+r.late.Count(), wrong+r.wrong
		}
	}
	fmt.Printf("tick: %d ticks, %d of them wrong\n", ticks, wrong)
	if ticks == 0 || wrong > 0 {
		os.Exit(1)
	}
}
