package load

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// Leaks are what Leak can lose.
var Leaks = []string{"heap", "goroutine", "thread"}

// Leak loses something, many times a second, until ctx is done: a proof that the soak would have seen it.
func Leak(ctx context.Context, what string) error {
	var lose func()
	var lost [][]byte
	var threads []*thread.Thread
	switch what {
	case "":
		return nil
	case "heap":
		lose = func() { lost = append(lost, make([]byte, 32<<10)) }
	case "goroutine":
		lose = func() { go func() { <-ctx.Done() }() }
	case "thread":
		lose = func() { threads = append(threads, thread.New()) }
	default:
		return fmt.Errorf("nothing is called %q that could leak, only %v", what, Leaks)
	}
	go func() {
		for ctx.Err() == nil {
			lose()
			time.Sleep(20 * time.Millisecond)
		}
		runtime.KeepAlive(lost)
		for _, t := range threads {
			t.Terminate()
		}
	}()
	return nil
}
