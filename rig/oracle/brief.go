package oracle

import (
	"context"
	"runtime"

	"github.com/threadcall/threadcall/internal/ident"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// A brief thread is made for one function, and nothing else keeps it alive. How it is made and left
// is the number of the operation:
const (
	briefCall    = iota // by New, with Call
	briefPost           // by New, with Go
	briefContext        // by Adopt, with Go and ServeContext
	briefServe          // by Adopt, with Go and Serve; the goroutine ends without Terminate
	briefForeign        // likewise, but another goroutine calls Terminate
	briefKinds
)

var briefs = []int{briefCall, briefPost, briefContext, briefServe, briefForeign}

func (a *activation) brief(o *op, s spot) {
	r, rec := a.run, &a.run.records[o.number]
	ended := make(chan struct{})
	f := func() {
		defer close(ended)
		runtime.GC() // which finds nothing that refers to the thread, unless the library does
		r.act(o, s, nil)
	}
	switch o.n {
	case briefCall:
		if !thread.New().Call(f) {
			r.failf(o, "it was refused")
		}
		return
	case briefPost:
		if !thread.New(unreported).Go(f) {
			r.failf(o, "it was refused")
		}
		<-ended
	default:
		var host testutil.Group
		var left *thread.Thread
		host.Go(func() {
			l := thread.Adopt(unreported)
			t := l.Thread()
			if o.n == briefForeign {
				left = t
			}
			if !t.Go(f) {
				r.failf(o, "it was refused")
				return
			}
			if o.n != briefContext {
				if l.Serve(0); !t.On() { // which an exit leaves out
					r.failf(o, "On is false")
				}
				return
			}
			ctx, cancel := context.WithCancel(context.Background())
			go func() {
				<-ended
				runtime.GC()
				cancel()
			}()
			if err := l.ServeContext(ctx); err != context.Canceled {
				r.failf(o, "ServeContext returned %v", err)
			}
		})
		host.Wait()
		if left != nil {
			left.Terminate()
			r.mustBeForgotten(o, left)
		}
	}
	if rec.begun != 1 || rec.progress[1].Load() != 2 {
		r.failf(o, "its function ran %d times", rec.begun)
	}
}

// mustBeForgotten checks that no other goroutine is taken for that of t, which has ended.
func (r *run) mustBeForgotten(o *op, t *thread.Thread) {
	for range 3 { // one of which may be where that one was
		var other testutil.Group
		other.Go(func() {
			if t.On() {
				r.failf(o, "On is true on another goroutine")
			}
			runtime.LockOSThread()
			if t.Terminate(); !ident.Locked() {
				r.failf(o, "Terminate has unlocked another goroutine")
			}
			runtime.UnlockOSThread()
			if ident.Locked() {
				r.failf(o, "a goroutine begins locked to its thread")
			}
		})
		other.Wait()
	}
}
