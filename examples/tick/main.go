// A thread that does something every 2.67 ms, as a sound card asks for 128 frames at 48 kHz, and
// how late it comes.
//
//	go -C examples run ./tick
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"time"

	"github.com/threadcall/threadcall/thread"
)

var (
	period   = flag.Duration("period", 128*time.Second/48000, "from one tick to the next")
	duration = flag.Duration("for", time.Second, "how long to tick")
)

// every runs f after each period, on a thread of its own, until stop has returned. At is the time
// since the periods count.
func every(f func(at time.Duration)) (stop func(), err error) {
	t, err := thread.Start(thread.WithName("audio"))
	if err != nil {
		return nil, err
	}
	began := time.Now()
	timer := t.Every(*period, func() { f(time.Since(began)) })
	return func() {
		timer.Stop()
		t.Close()
	}, nil
}

func main() {
	flag.Parse()
	late := make([]time.Duration, 0, 1<<16) // by how much each tick comes after its time
	wrong, last := 0, 0
	stop, err := every(func(at time.Duration) {
		if last = int(at / *period); last <= len(late) { // the tick comes before its time
			wrong++
		} else if len(late) < cap(late) {
			late = append(late, at%*period)
		}
	})
	if err != nil {
		log.Fatal("tick: ", err)
	}
	time.Sleep(*duration)
	stop()
	if len(late) == 0 {
		log.Fatal("tick: there was none")
	}
	ticks := len(late)
	slices.Sort(late)
	fmt.Printf("late: median %v, 99 %% %v, at most %v; %d missed\n", late[ticks/2],
		late[ticks*99/100], late[ticks-1], last-ticks)
	fmt.Printf("tick: %d ticks, %d of them wrong\n", ticks, wrong)
	if wrong > 0 {
		os.Exit(1)
	}
}
