//go:build go1.25

package observe

import (
	"testing"
	"testing/synctest"
	"time"
)

// A function is reported when its time has come, by the timer, which is not set after the end.
func TestWatch_setsItsTimer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		reports := make(chan Slow, 2)
		_, o := watched(func(s Slow) { reports <- s })
		run, _ := o.wrap(func() {
			time.Sleep(59 * time.Minute)
			if synctest.Wait(); len(reports) > 0 {
				t.Error("it is reported before its time")
			}
			time.Sleep(time.Minute)
			if synctest.Wait(); len(reports) != 1 {
				t.Errorf("it is reported %d times", len(reports))
			}
		})
		run()
		o.End()
		o.wrap(nothing)
		time.Sleep(2 * time.Hour)
		if synctest.Wait(); len(reports) != 1 {
			t.Error("after the end a function is reported")
		}
	})
}
