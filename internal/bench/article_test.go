package bench

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
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

// eachDesign runs test for every design in every place.
func eachDesign(t *testing.T, test func(t *testing.T, d Design)) {
	for _, design := range designs {
		for place, serve := range map[string]func(Design) (stop func()){"thread": OnThread,
			"goroutine": OnGoroutine, "main": OnMain} {
			t.Run(design.name+"/"+place, func(t *testing.T) {
				d := design.design()
				defer serve(d)()
				test(t, d)
			})
		}
	}
}

func TestDesign_order(t *testing.T) {
	eachDesign(t, func(t *testing.T, d Design) {
		var got, want []int
		for i := range 100 {
			f := func() { got = append(got, i) }
			if want = append(want, i); i%3 == 0 {
				d.Call(f)
			} else {
				d.Go(f)
			}
		}
		if d.Call(func() {}); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	})
}

func TestDesign_panic(t *testing.T) {
	eachDesign(t, func(t *testing.T, d Design) {
		defer func() {
			if err, ok := recover().(error); !ok || err.Error() != "boom" {
				t.Errorf("recovered %v", err)
			}
			d.Call(func() {}) // is served
		}()
		d.Go(func() { panic("lost") })
		d.Call(func() { panic(errors.New("boom")) })
	})
}

func TestDesign_locked(t *testing.T) {
	if runtime.GOARCH == "wasm" {
		t.Skip("js/wasm has one thread, and locks nothing")
	}
	eachDesign(t, func(t *testing.T, d Design) {
		var stacks string
		d.Call(func() {
			b := make([]byte, 1<<16)
			stacks = string(b[:runtime.Stack(b, true)])
		})
		serving, _, _ := strings.Cut(stacks, "\n")
		if locked := strings.Contains(serving,
			"locked to thread"); locked == strings.HasSuffix(t.Name(), "/goroutine") {
			t.Error(serving)
		}
	})
}

func TestDesign_allocations(t *testing.T) {
	if testutil.Race {
		t.Skip("the race detector drops what is put in a sync.Pool")
	}
	for _, design := range designs {
		d := design.design()
		stop := OnThread(d)
		_, calls := Memory(1000, func() { d.Call(nop) })
		_, gos := Memory(1000, func() { d.Go(nop) })
		if stop(); calls < design.allocs || calls > design.allocs+0.1 || gos > 0.1 {
			t.Errorf("%s: %v allocations a Call, want %v; %v a Go, want 0", design.name, calls,
				design.allocs, gos)
		}
	}
}
