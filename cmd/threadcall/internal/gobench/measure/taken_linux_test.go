package measure

import (
	"testing"
	"time"
)

func TestTaken(t *testing.T) {
	const ms = time.Millisecond
	const none = "other processes used 0.0 of 4 CPUs"
	for _, c := range []struct {
		own, busy, stolen time.Duration
		text              string
	}{
		{0, 0, 0, none},
		{950 * ms, 900 * ms, 0, none}, // more than the ticks show
		{900 * ms, 1400 * ms, 0, "other processes used 0.5 of 4 CPUs"},
		{900 * ms, 900 * ms, 100 * ms, none + ", 10 % stolen"},
		{0, -40 * time.Second, 0, none}, // counters that go back
	} {
		began := time.Now()
		before := counters{began, 4, time.Hour, time.Hour, time.Hour}
		after := counters{began.Add(time.Second), 4, time.Hour + c.busy, time.Hour + c.stolen,
			time.Hour + c.own}
		if got := after.since(before).String(); got != c.text {
			t.Errorf("%+v: %s", c, got)
		}
	}
	var c counters // irq and softirq are work, iowait is none
	c.stat("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1 0 0 0 0 0 0 7 0 0\n"+
		"cpu2 10 20 30 400 500 60 70 8 9 9\n",
		func(cpu int) bool { return cpu == 2 })
	if want := (counters{cpus: 1, busy: 190 * tick, stolen: 8 * tick}); c != want {
		t.Errorf("%+v, want %+v", c, want)
	}
	if got := count(); got.cpus == 0 || got.own == 0 {
		t.Errorf("this system: %+v", got)
	}
}
