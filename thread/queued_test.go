package thread_test

import (
	"testing"

	"github.com/threadcall/threadcall/thread"
)

func TestQueued_countsWhatHasNotBegun(t *testing.T) {
	th, p := start(t), startPool(t, 2)
	for name, w := range map[string]runner{"Thread": th, "Pool": p} {
		busy, other := occupy(t, w.Go), func() {}
		if w == p {
			second := occupy(t, w.Go)
			other = second.Open
		}
		if n := w.Stats().Queued; n != 0 {
			t.Errorf("%s: %d queued of none", name, n)
		}
		for i := range 100 {
			if i%2 == 0 {
				w.Go(nop)
			} else {
				go w.Call(nop)
			}
		}
		eventually(t, func() bool { return w.Stats().Queued == 100 }, "%s: 100 are queued", name)
		busy.Open()
		other()
		eventually(t, func() bool { return w.Stats().Queued == 0 }, "%s: none is queued", name)
		busy = occupy(t, w.Go)
		defer busy.Open()
		w.Go(nop)
		w.Terminate()
		if n := w.Stats().Queued; n != 0 {
			t.Errorf("%s: %d queued after Terminate", name, n)
		}
	}
}

// What is queued is counted also while the thread has it in hand.
func TestQueued_countsWhatTheThreadHasTaken(t *testing.T) {
	ends(t, func() {
		l := thread.Adopt()
		defer l.Close()
		th := l.Thread()
		for n := range 3 {
			for range n {
				th.Go(nop)
			}
			th.Go(func() {
				th.Go(nop)
				if n := th.Stats().Queued; n != 1 {
					t.Errorf("%d are queued of one", n)
				}
				l.Serve(0)
				if n := th.Stats().Queued; n != 0 {
					t.Errorf("%d are queued of none", n)
				}
			})
			if q := th.Stats().Queued; q != n+1 {
				t.Errorf("%d are queued of %d", q, n+1)
			}
			l.Serve(0)
		}
	})
}

// While functions are queued and taken, the number stays what it can be.
func TestQueued_isPlausibleWhileFunctionsRun(t *testing.T) {
	const most = 1000
	th := start(t)
	stop := make(chan bool)
	for range 2 {
		go func() {
			for i := 0; ; i++ {
				select {
				case <-stop:
					return
				default:
				}
				if th.Go(nop); i%most/2 == 0 {
					th.Call(nop)
				}
			}
		}()
	}
	for range scaled(1000) {
		if n := th.Stats().Queued; n < 0 || n > 2*most {
			t.Errorf("%d are queued of at most %d", n, most)
		}
	}
	close(stop)
	th.Call(nop)
}
