package bench

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/threadcall/threadcall/internal/ident"
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

// Calls run in order on a goroutine that is locked where it should be, and panics reach the caller
// of Call alone.
func TestDesign(t *testing.T) {
	for _, design := range designs {
		for place, serve := range map[string]func(Design) (stop func()){
			"thread": OnThread, "goroutine": OnGoroutine, "main": OnMain,
		} {
			t.Run(design.name+"/"+place, func(t *testing.T) {
				d := design.design()
				defer serve(d)()
				var got, want []int
				for i := range 100 {
					f := func() { got = append(got, i) }
					if want = append(want, i); i%3 == 0 {
						d.Call(f)
					} else {
						d.Go(f)
					}
				}
				locked := false
				if d.Call(func() { locked = ident.Locked() }); !slices.Equal(got, want) {
					t.Errorf("got %v", got)
				}
				if locked == (place == "goroutine") && runtime.GOARCH != "wasm" {
					t.Errorf("locked is %v", locked)
				}
				defer func() {
					if err, ok := recover().(error); !ok || err.Error() != "boom" {
						t.Errorf("recovered %v", err)
					}
					d.Call(nop) // is served
				}()
				d.Go(func() { panic("lost") })
				d.Call(func() { panic(errors.New("boom")) })
			})
		}
	}
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
