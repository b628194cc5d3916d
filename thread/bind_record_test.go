package thread

import "testing"

// A record that waits for its next use refers to nothing that it has carried, whether f ran or not.
func TestBind_keepsNothing(t *testing.T) {
	for _, ended := range []bool{false, true} {
		th, n := New(), new(int)
		defer th.Close()
		b := bind(th, false, func(_, _, n *int) *int { return n })
		if ended {
			th.Terminate()
		}
		var p *record[*int, *int, *int, *int]
		for i := 0; p == nil; i++ { // with the race detector, a pool drops some
			if b.call(n, n, n); i == 100 {
				t.Fatal("there is no record")
			}
			p, _ = b.free.Get().(*record[*int, *int, *int, *int])
		}
		if p.f != nil || p.a != nil || p.b != nil || p.c != nil || p.r != nil {
			t.Errorf("after a call to a thread that has ended, %v: %+v", ended, p)
		}
	}
}
