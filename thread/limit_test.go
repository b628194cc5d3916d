package thread_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

func ended(w way) bool {
	select {
	case <-w.Done():
		return true
	default:
		return false
	}
}

// Close runs what is queued, refuses what comes later, and returns when nothing runs any more.
func TestClose_runsWhatIsQueued(t *testing.T) {
	other := start(t)
	for how, end := range map[string]func(w way){
		"Close":         func(w way) { w.Close() },
		"on the thread": func(w way) { w.Call(w.Close) },
		"in a cycle":    func(w way) { w.Call(func() { other.Call(w.Close) }) },
		"in a cycle that closes later": func(w way) {
			begun := make(chan bool)
			go other.Call(func() { <-begun; w.Close() })
			w.Call(func() {
				close(begun)
				time.Sleep(2 * time.Millisecond)
				other.Call(nop)
			})
		},
	} {
		for name, w := range both(t) {
			var ran atomic.Int32
			for range 100 {
				w.Go(func() { ran.Add(1) })
			}
			ends(t, func() { end(w) })
			testutil.Arrives(t, w.Done())
			if n := ran.Load(); n != 100 || w.Call(nop) || w.Go(nop) {
				t.Errorf("%s, %s: %d of 100 functions ran, or one was taken after Close", name, how, n)
			}
			ends(t, w.Close) // again
		}
	}
}

// Neither Close nor Terminate closes Done while a function runs.
func TestDone_isOpenWhileAFunctionRuns(t *testing.T) {
	for how, end := range map[string]func(w way){"Close": func(w way) { w.Close() },
		"Terminate": func(w way) { w.Terminate(); w.Close() }} {
		for name, w := range both(t) {
			busy := occupy(t, w.Go)
			closed := make(chan bool)
			go func() { end(w); close(closed) }()
			time.Sleep(5 * time.Millisecond)
			if ended(w) {
				t.Errorf("%s, %s: Done is closed while a function runs", name, how)
			}
			busy.Open()
			if testutil.Arrives(t, closed); !ended(w) {
				t.Errorf("%s, %s: Done is open after Close", name, how)
			}
		}
	}
}

// What comes after Close is refused although the thread still runs a function; what that needs
// runs, but in a pool only in place.
func TestClose_refusesWhatComesLater(t *testing.T) {
	for name, w := range both(t, thread.WithQueueLimit(1)) {
		other, begun, busy := start(t), make(chan bool), make(chan bool)
		w.Go(func() {
			<-begun
			w.Close()
			close(busy)
			<-begun
			var inCycle bool
			inPlace := w.Call(nop)
			if other.Call(func() { inCycle = w.Call(nop) }); !inPlace || inCycle == w.pool {
				t.Errorf("%s: in place a call says %v, in a cycle %v", name, inPlace, inCycle)
			}
		})
		unwanted := func() { t.Errorf("%s: a function ran that came after Close", name) }
		posted, called := make(chan bool), make(chan bool)
		w.Go(nop)
		begun <- true
		go func() { posted <- w.Go(unwanted) }() // without Close, it waits for a place
		if testutil.Arrives(t, posted) || w.Go(unwanted) {
			t.Errorf("%s: Go says that a function will run", name)
		}
		testutil.Arrives(t, busy)
		go func() { called <- w.Call(unwanted) }()
		begun <- true
		ends(t, w.Close)
		if testutil.Arrives(t, called) {
			t.Errorf("%s: Call says that a function ran", name)
		}
	}
}
