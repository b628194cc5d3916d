// Package park has what a goroutine waits with: a token to park on, a pause to spin with.
package park

import (
	"sync"
	"sync/atomic"
)

// A Token wakes the goroutine that waits for it. It is there or it is not: any number of Wakes
// before a Wait are one. One goroutine at a time may wait; any may wake it.
//
// It is a channel with one place, unless it is latched. A bubble of testing/synctest owns the
// channels that are made in it, and a send from outside the bubble ends the process. So a token
// made in a bubble for a thread outside is a mutex, which does not belong to a bubble. A goroutine
// in a bubble that waits for that, or for a channel made outside, is not durably blocked: the clock
// of the bubble stands still until the thread has answered.
type Token struct {
	c chan struct{}

	latch sync.Mutex // locked while the token is not there, if c is nil
	shut  atomic.Bool
}

// NewToken returns a token that is not there.
func NewToken(latched bool) *Token {
	if !latched {
		return &Token{c: make(chan struct{}, 1)}
	}
	t := new(Token)
	t.latch.Lock()
	t.shut.Store(true)
	return t
}

// C takes the token, beside a wait for something else. The token must not be latched.
func (t *Token) C() <-chan struct{} { return t.c }

// Wake puts the token there.
//
//threadcall:noalloc
func (t *Token) Wake() {
	if t.c == nil {
		if t.shut.CompareAndSwap(true, false) {
			t.latch.Unlock()
		}
		return
	}
	select {
	case t.c <- struct{}{}:
	default:
	}
}

// Wait blocks until it takes the token and returns true, or returns false when cancel is closed.
//
//threadcall:noalloc
func (t *Token) Wait(cancel <-chan struct{}) bool {
	if t.c == nil {
		return t.waitLatched(cancel) //threadcall:alloc in a bubble
	}
	if cancel == nil {
		<-t.c //threadcall:alloc the runtime's sudog, when its caches are empty
		return true
	}
	select { //threadcall:alloc two of these
	case <-t.c:
		return true
	case <-cancel:
		return false
	}
}

func (t *Token) waitLatched(cancel <-chan struct{}) bool {
	if cancel != nil {
		returned := make(chan struct{})
		defer close(returned)
		go func() {
			select {
			case <-cancel:
				t.Wake()
			case <-returned:
			}
		}()
	}
	t.latch.Lock()
	t.shut.Store(true)
	select {
	case <-cancel:
		return false
	default:
		return true
	}
}
