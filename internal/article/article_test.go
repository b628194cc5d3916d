package article

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
)

var designs = []struct {
	name   string
	design func() Design
	allocs float64
}{
	{"naive", Naive, 2},
	{"pooled", Pooled, 1},
	{"struct", Struct, 0},
}

var hosts = []struct {
	name  string
	serve func(Design) (stop func())
}{
	{"thread", OnThread},
	{"goroutine", OnGoroutine},
}

// each runs test for every design in every place.
func each(t *testing.T, test func(t *testing.T, d Design)) {
	for _, design := range designs {
		for _, host := range hosts {
			t.Run(design.name+"/"+host.name, func(t *testing.T) {
				d := design.design()
				defer host.serve(d)()
				test(t, d)
			})
		}
	}
}

func TestCallReturnsAfterTheFunctionRan(t *testing.T) {
	each(t, func(t *testing.T, d Design) {
		ran := false
		if !d.Call(func() { time.Sleep(time.Millisecond); ran = true }) || !ran {
			t.Errorf("ran: %v", ran)
		}
	})
}

func TestCallsRunInTheOrderTheyWereMade(t *testing.T) {
	each(t, func(t *testing.T, d Design) {
		var got, want []int
		for i := range 100 {
			f := func() { got = append(got, i) }
			if want = append(want, i); i%3 == 0 {
				d.Call(f)
			} else {
				d.Go(f)
			}
		}
		d.Call(func() {})
		if !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}

func TestOneFunctionRunsAtATime(t *testing.T) {
	each(t, func(t *testing.T, d Design) {
		var wg group.Group
		n := 0
		for range 10 {
			wg.Go(func() {
				for range 100 {
					d.Call(func() { n++ })
				}
			})
		}
		if wg.Wait(); n != 1000 {
			t.Errorf("%d of 1000 ran", n)
		}
	})
}

func TestAPanicReachesItsCaller(t *testing.T) {
	each(t, func(t *testing.T, d Design) {
		defer func() {
			if err, ok := recover().(error); !ok || err.Error() != "boom" {
				t.Errorf("recovered %v", err)
			}
			if !d.Call(func() {}) {
				t.Error("nobody serves any more")
			}
		}()
		d.Call(func() { panic(errors.New("boom")) })
	})
}

func TestAPanicInGoIsLost(t *testing.T) {
	each(t, func(t *testing.T, d Design) {
		d.Go(func() { panic("boom") })
		if !d.Call(func() {}) {
			t.Error("nobody serves any more")
		}
	})
}

func TestOnThreadServesOnALockedGoroutine(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("js/wasm has one thread, and locks nothing")
	}
	each(t, func(t *testing.T, d Design) {
		var stacks string
		d.Call(func() {
			b := make([]byte, 1<<16)
			stacks = string(b[:runtime.Stack(b, true)])
		})
		serving, _, _ := strings.Cut(stacks, "\n")
		if locked := strings.Contains(serving, "locked to thread"); locked != strings.HasSuffix(t.Name(), "/thread") {
			t.Error(serving)
		}
	})
}

func TestStopWaitsForTheFunctionThatRuns(t *testing.T) {
	for _, design := range designs {
		t.Run(design.name, func(t *testing.T) {
			d := design.design()
			stop := OnThread(d)
			began, ended := make(chan bool), false
			d.Go(func() {
				close(began)
				time.Sleep(5 * time.Millisecond)
				ended = true
			})
			<-began
			stop()
			stop()
			if !ended {
				t.Error("stop returned before the function")
			}
		})
	}
}

func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector drops what is put in a sync.Pool")
	}
	for _, design := range designs {
		t.Run(design.name, func(t *testing.T) {
			d := design.design()
			defer OnThread(d)()
			f := func() {}
			if got := testing.AllocsPerRun(1000, func() { d.Call(f) }); got != design.allocs {
				t.Errorf("%v allocations a Call, want %v", got, design.allocs)
			}
			if got := testing.AllocsPerRun(1000, func() { d.Go(f) }); got != 0 {
				t.Errorf("%v allocations a Go, want 0", got)
			}
		})
	}
}
