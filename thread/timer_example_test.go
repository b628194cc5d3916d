package thread_test

import (
	"fmt"
	"time"

	"github.com/threadcall/threadcall/thread"
)

func ExampleThread_After() {
	t := thread.New()
	defer t.Terminate()

	done := make(chan bool)
	t.After(time.Millisecond, func() { fmt.Println("on the thread:", t.On()); close(done) })
	late := t.After(time.Hour, func() { fmt.Println("never") })
	<-done
	late.Stop()
	// Output: on the thread: true
}

// The function refers to its Timer, which is therefore made on the thread.
func ExampleThread_Every() {
	t := thread.New()
	defer t.Terminate()

	done := make(chan bool)
	t.Call(func() {
		var timer *thread.Timer
		n := 0
		timer = t.Every(time.Millisecond, func() {
			if n++; n == 3 {
				timer.Stop()
				close(done)
			}
		})
	})
	<-done
	fmt.Println("three ticks")
	// Output: three ticks
}

// A simulation with a fixed time step catches up with the steps that a late thread has missed.
func ExampleTimer_Missed() {
	const step, until = time.Millisecond, 20
	t := thread.New()
	defer t.Terminate()

	done := make(chan bool)
	t.Call(func() {
		var timer *thread.Timer
		var steps, frames int64
		timer = t.Every(step, func() {
			for frames++; steps < frames+timer.Missed(); {
				steps++ // and here the world moves on by a step
			}
			if steps >= until {
				timer.Stop()
				close(done)
			}
		})
	})
	<-done
	fmt.Println("all steps")
	// Output: all steps
}

func ExampleTimer_Stop() {
	t := thread.New()
	defer t.Terminate()

	ticks := 0
	timer := t.Every(time.Millisecond, func() { ticks++ })
	for thread.Eval(t, func() bool { return ticks == 0 }) {
		time.Sleep(time.Millisecond)
	}
	timer.Stop()
	fmt.Println(ticks > 0) // the function runs no more, so ticks may be read
	// Output: true
}
