//go:build go1.25

package keyed_test

import (
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/keyed"
)

// Unused threads end after the time of the bubble that they are in. One that was made outside
// ends its threads there, although the last call was made in a bubble, whose clock shows another
// year.
func TestBubble_endsUnusedThreadsAfterItsTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newThreads(t, keyed.WithMaxThreads(2))
		var stops atomic.Int32
		k.stop = func(int) { stops.Add(1); time.Sleep(time.Hour) }
		defer k.Close()
		begin := time.Now()
		k.do(t, 1, nop)
		time.Sleep(30 * time.Second)
		k.do(t, 2, nop)
		time.Sleep(31 * time.Second)
		synctest.Wait()
		if n := stops.Load(); n != 1 {
			t.Errorf("after a minute for one of two, %d threads are stopped", n)
		}
		// waits for 10 ms before it believes that the first one hangs; then key 2 must yield
		k.do(t, 3, nop)
		if d := time.Since(begin); d < time.Hour || d > time.Hour+2*time.Minute {
			t.Errorf("the slot was free after %v, want the hour of a stop function", d)
		}
	})
	outside := newThreads(t, keyed.WithIdleTimeout(time.Millisecond))
	entered, release, returned := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(returned)
		outside.do(t, 1, func() { close(entered); <-release })
	}()
	<-entered
	synctest.Test(t, func(t *testing.T) {
		mustPanic(t, func() { outside.do(t, 2, nop) }, "inside")
		go close(release)
		outside.do(t, 1, func() { <-returned }) // so this is the last call
	})
	eventually(t, func() bool { return outside.alive() == 0 }, "its thread is stopped")
}
