package mainthread_test

import (
	"slices"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func TestCoalesce(t *testing.T) {
	var ran []int
	note := func(n int) {
		if ran = append(ran, n); !mainthread.On() {
			t.Errorf("%d ran off the main thread", n)
		}
	}
	redraw := mainthread.Coalesce(func() { note(0) })
	resize := mainthread.Coalesce1(func(n int) { note(n) })
	move := mainthread.Coalesce2(func(x, y int) { note(x + y) })
	mainthread.Call(func() {
		for i := range 3 {
			if !redraw() || !resize(10+i) || !move(100, i) {
				t.Error("a post was refused")
			}
		}
	})
	if mainthread.Call(nop); !slices.Equal(ran, []int{0, 12, 102}) {
		t.Errorf("ran %v", ran)
	}
}
