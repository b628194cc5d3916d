package main

import (
	"math"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
)

func TestTheFramesOfASecondAreCounted(t *testing.T) {
	var c counter
	said := 0
	for i := range 181 {
		f := &app.Frame{Number: uint64(i), Time: time.Duration(i) * 20 * time.Millisecond, Delta: 20 * time.Millisecond}
		if i == 70 {
			f.Delta = 35 * time.Millisecond
		}
		fps, longest, ok := c.frame(f)
		if !ok {
			continue
		}
		said++
		want := 20 * time.Millisecond
		if said == 2 {
			want = 35 * time.Millisecond
		}
		if math.Abs(fps-50) > 1.1 || longest != want {
			t.Errorf("second %d: %v frames, the longest %v", said, fps, longest)
		}
	}
	if said != 3 {
		t.Errorf("in 3.6 seconds it has told %d times", said)
	}
}
