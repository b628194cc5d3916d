package thread_test

import (
	"testing"

	"github.com/threadcall/threadcall/thread"
)

func TestLocal(t *testing.T) {
	type state struct{ n, m int }
	var one, two thread.Local[state]
	var other thread.Local[any]
	a, b := start(t), start(t)
	if v := one.Get(a); v != (state{}) {
		t.Errorf("a new thread has %v", v)
	}
	one.Set(a, state{1, 2})
	b.Call(func() { one.Set(b, state{3, 4}) })
	two.Set(a, state{5, 6})
	other.Set(a, "any")
	a.SetTLS("of a")
	for range 2 {
		if u, v, w := one.Get(a), one.Get(b), two.Get(a); u != (state{1, 2}) || v != (state{3, 4}) || w != (state{5, 6}) {
			t.Errorf("a has %v and %v, b has %v", u, w, v)
		}
		if u, v, w := other.Get(a), other.Get(b), a.GetTLS(); u != "any" || v != nil || w != "of a" {
			t.Errorf("a has %v and TLS %v, b has %v", u, w, v)
		}
	}
	b.Terminate()
	if v := one.Get(b); v != (state{3, 4}) {
		t.Errorf("after Terminate b has %v", v)
	}
	a.SetTLS(nil)
	if v := a.GetTLS(); v != nil {
		t.Errorf("after nil was stored a has %v", v)
	}
}
