//go:build go1.25

package recorderhttp_test

import (
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/thread"
)

// The page is asked from outside a bubble, from another one and inside, as long as threads live in
// the bubble.
func TestThreads_showsThreadsOfABubble(t *testing.T) {
	outside := thread.New(thread.WithName("outside"))
	defer outside.Terminate()
	outside.Call(func() {})
	look := func(from string) {
		for range 2 { // the first remembers
			for _, body := range []string{get("GET", "").Body.String(), metrics()} {
				for _, name := range []string{"outside", "lonely", "workers"} {
					if !strings.Contains(body, name) {
						t.Errorf("%s: no %s in\n%s", from, name, body)
					}
				}
				years := regexp.MustCompile(`\d{5,}h|_seconds(_total)?{.*} (\d{6}|.*e\+)`).FindString(body)
				if years != "" {
					t.Errorf("%s: a function has run for years: %s", from, years)
				}
			}
		}
	}
	ready, left := make(chan bool), make(chan bool)
	go func() {
		defer close(left)
		<-ready
		look("outside")
		synctest.Test(t, func(t *testing.T) { look("in another bubble") })
	}()
	synctest.Test(t, func(t *testing.T) {
		th := thread.New(thread.WithName("lonely"), thread.WithQueueLimit(1))
		p := thread.NewPool(2, thread.WithName("workers"))
		th.Go(func() { time.Sleep(time.Minute) })
		p.Go(func() { time.Sleep(time.Minute) })
		synctest.Wait()
		look("inside")
		close(ready)
		<-left // not of the bubble, so it is not idle
		th.Close()
		p.Close()
	})
	get("GET", "")
}
