package compare

import (
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/threadcall/threadcall/internal/ident"
)

// Calls run in order on a goroutine that is locked where it should be, and panics reach the caller
// of Call alone.
func TestDesign(t *testing.T) {
	for name, design := range map[string]func() Design{
		"naive": Naive, "pooled": Pooled, "struct": Struct,
	} {
		for place, serve := range map[string]func(Design) (stop func()){
			"thread": OnThread, "main": OnMain,
		} {
			t.Run(name+"/"+place, func(t *testing.T) {
				d := design()
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
				if !locked && runtime.GOARCH != "wasm" {
					t.Error("the goroutine is not locked")
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
