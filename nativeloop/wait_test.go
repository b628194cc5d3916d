//go:build windows || (darwin && !ios) || (linux && !android && (amd64 || arm64))

package nativeloop_test

import (
	"context"
	"errors"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

func wait(t *testing.T, h *host, ctx context.Context, done chan bool, want error) {
	t.Helper()
	ended := make(chan struct{})
	if done != nil {
		go func() { <-done; close(ended) }()
	}
	if err := nativeloop.Wait(ctx, h.own, ended); !errors.Is(err, want) {
		t.Errorf("Wait returned %v, want %v", err, want)
	}
}

// While a function waits, the loop runs functions of other goroutines and native events.
func TestWait_runsCallsAndNativeEvents(t *testing.T) {
	ctx := t.Context()
	for name, use := range map[string]func(h *host){
		"in the loop's thread": func(h *host) {
			done := make(chan bool)
			native, called := false, false
			go func() {
				defer close(done)
				seen := make(chan bool)
				h.post(func() { native = true; close(seen) })
				testutil.Arrives(t, seen)
				h.Call(func() { called = true })
			}()
			wait(t, h, ctx, done, nil)
			if !native || !called {
				t.Errorf("while it waited: a native event %v, a call %v", native, called)
			}
		},
		"in a function of the loop": func(h *host) {
			h.loop(func() {
				done, ran := make(chan bool), 0
				h.Go(func() { wait(t, h, ctx, done, nil); ran++ })
				h.Go(func() { ran++ })
				h.Call(func() {
					if ran != 1 {
						t.Errorf("%d functions have run while one waits", ran)
					}
				})
				close(done)
				h.Call(func() {})
				testutil.Eventually(t, func() bool {
					return thread.MustEval(h.Thread, func() int { return ran }) == 2
				}, "the wait ends")
			})
		},
		"inside of another wait": func(h *host) {
			outer, inner := make(chan bool), make(chan bool)
			returned := false
			go func() {
				h.Go(func() { wait(t, h, ctx, inner, nil); returned = true })
				h.Call(func() {})
				close(outer)
				h.Call(func() {
					if returned {
						t.Error("the inner wait has returned for the outer")
					}
				})
				close(inner)
			}()
			wait(t, h, ctx, outer, nil)
			if !returned {
				t.Error("the outer wait has returned first")
			}
		},
		"until a context is done": func(h *host) {
			cause := errors.New("the user has gone")
			ctx, cancel := context.WithCancelCause(ctx)
			go h.Call(func() { go cancel(cause) })
			wait(t, h, ctx, nil, cause)
			wait(t, h, ctx, nil, cause)
		},
		"until it is terminated": func(h *host) {
			go h.Terminate()
			wait(t, h, ctx, nil, thread.ErrTerminated)
		},
		"with a full queue": func(h *host) {
			done := make(chan bool)
			for range 100 {
				h.Go(func() {})
			}
			close(done)
			wait(t, h, ctx, done, nil)
		},
	} {
		t.Run(name, func(t *testing.T) { onHost(t, use) })
	}
	t.Run("not attached", func(t *testing.T) {
		onHost(t, func(h *host) {
			h.detach()
			testutil.MustPanic(t, func() { _ = nativeloop.Wait(ctx, h.own, nil) }, "Wait before Attach")
		})
	})
}
