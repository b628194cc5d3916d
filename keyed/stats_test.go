package keyed_test

import (
	"context"
	"testing"
	"time"

	"github.com/threadcall/threadcall/keyed"
)

func TestStats_countsAsForConnections(t *testing.T) {
	k := newThreads(t, keyed.WithMaxThreads(2), keyed.WithIdleTimeout(-1))
	if s := k.Stats(); s != (keyed.Stats{MaxThreads: 2}) {
		t.Errorf("at first: %+v", s)
	}
	k.do(t, 1, nop)
	g := k.occupy(t, 2) // or it would end as well, if key 1 takes more than 10 ms to end
	if s := k.Stats(); s.Threads != 2 || s.InUse != 1 || s.Idle != 1 || s.WaitCount != 0 {
		t.Errorf("one of two in use: %+v", s)
	}
	k.do(t, 3, nop)
	g.Open()
	if s := k.Stats(); s.WaitCount != 1 || s.WaitDuration <= 0 || s.MaxThreadsEnded != 1 {
		t.Errorf("a call has waited: %+v", s)
	}
	soon := newThreads(t, keyed.WithIdleTimeout(time.Nanosecond))
	soon.do(t, 1, nop)
	eventually(t, func() bool { return soon.Stats() == keyed.Stats{IdleEnded: 1} }, "it is ended")
	k.do(t, 1, func() {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { _ = k.Call(ctx, 4, func() error { return nil }) }()
	})
}
