package thread_test

import (
	"testing"

	"github.com/threadcall/threadcall/internal/group"
)

func TestAThreadKeepsWhatIsStoredWithIt(t *testing.T) {
	a, b := start(t), start(t)
	if v := a.GetTLS(); v != nil {
		t.Errorf("a new thread has %v", v)
	}
	a.SetTLS("of a")
	b.Call(func() { b.SetTLS(7) })
	for range 2 {
		if v, w := a.GetTLS(), b.GetTLS(); v != "of a" || w != 7 {
			t.Errorf("a has %v and b has %v", v, w)
		}
	}
	a.Call(func() { // a function finds it, and may change it
		if v := a.GetTLS(); v != "of a" {
			t.Errorf("on the thread, it is %v", v)
		}
		a.SetTLS(nil)
	})
	if v := a.GetTLS(); v != nil {
		t.Errorf("after nil was stored it has %v", v)
	}
	b.Terminate()
	if v := b.GetTLS(); v != 7 {
		t.Errorf("after Terminate it has %v", v)
	}
}

func TestAnyGoroutineMayStoreAtAnyTime(t *testing.T) {
	th := start(t)
	var all group.Group
	for i := range 8 {
		all.Go(func() {
			for range 1000 {
				th.SetTLS(i)
				if v, ok := th.GetTLS().(int); !ok || v < 0 || v > 7 {
					t.Errorf("found %v", v)
				}
			}
		})
	}
	all.Wait()
}
