package demo

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
)

// A Call is one that a goroutine made to the main thread: the thread that it came from, and the one that it ran on.
type Call struct {
	Goroutine int    `json:"goroutine"`
	From      string `json:"from"`
	Expected  string `json:"expected"`
	Ran       string `json:"ran"`
	OK        bool   `json:"ok"`
}

// callers is how many goroutines call at the same time. So that calls certainly come from several threads, every eighth
// has a thread of its own; the others are where the scheduler puts them.
const callers = 64

// calls makes the calls and keeps them in the order of the threads that they came from.
func (lib library) calls(f *Fact) {
	f.Calls = make([]Call, callers)
	start := make(chan struct{})
	var ready, ended sync.WaitGroup
	ready.Add(callers)
	for i := range f.Calls {
		ended.Go(func() {
			if i%8 == 0 {
				runtime.LockOSThread()
				defer runtime.UnlockOSThread()
			}
			ready.Done()
			<-start
			c := &f.Calls[i]
			*c = Call{Goroutine: i + 1, From: osthread.Here(), Expected: osthread.Main(), Ran: "nowhere"}
			lib.Call(func() { c.Ran = osthread.Here() })
			c.OK = c.Ran == c.Expected
		})
	}
	ready.Wait()
	close(start)
	ended.Wait()
	slices.SortStableFunc(f.Calls, func(a, b Call) int {
		return cmp.Or(cmp.Compare(len(a.From), len(b.From)), cmp.Compare(a.From, b.From))
	})

	landed := 0
	for _, c := range f.Calls {
		if c.OK {
			landed++
		}
	}
	const sentence = "%d on thread %s, %d elsewhere"
	f.Expected = fmt.Sprintf(sentence, callers, osthread.Main(), 0)
	f.Seen = fmt.Sprintf(sentence, landed, osthread.Main(), callers-landed)
}
