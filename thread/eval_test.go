package thread_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

// evaluates checks that want comes back from a thread and from a pool as it is.
func evaluates[T any](t *testing.T, th *thread.Thread, p *thread.Pool, want T) {
	t.Helper()
	for range 3 { // the same boxes are used again
		if got := thread.Eval(th, func() T { return want }); !reflect.DeepEqual(got, want) {
			t.Errorf("Eval returned %#v, want %#v", got, want)
		}
		if got, err := thread.EvalContext(t.Context(), p, func() T { return want }); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("EvalContext returned %#v, %v, want %#v", got, err, want)
		}
		th.Call(func() {
			if got := thread.Eval(th, func() T { return want }); !reflect.DeepEqual(got, want) {
				t.Errorf("nested, Eval returned %#v, want %#v", got, want)
			}
		})
	}
}

func TestEval(t *testing.T) {
	th, p := start(t), startPool(t, 2)
	type pair struct {
		a string
		b float64
	}
	type generic[T any] struct{ v T }
	n := 5
	evaluates(t, th, p, 42)
	evaluates(t, th, p, complex(1, -1))
	evaluates(t, th, p, strings.Repeat("long text ", 10_000))
	evaluates(t, th, p, pair{"a", 1})
	evaluates(t, th, p, generic[pair]{pair{"b", 2}})
	evaluates(t, th, p, generic[int]{3})
	evaluates(t, th, p, &n)
	evaluates(t, th, p, []string(nil))
	evaluates(t, th, p, map[string]int{"a": 1})
	evaluates(t, th, p, [1000]int{999: 1})
	evaluates(t, th, p, struct{}{})
	evaluates[error](t, th, p, errors.New("an error"))
	evaluates[error](t, th, p, nil)
	evaluates[any](t, th, p, nil)
	for i := range 100 { // a panic spoils no later result
		recovered(func() { thread.Eval(th, func() int { panic("boom") }) })
		if got := thread.Eval(th, func() int { return i }); got != i {
			t.Fatalf("Eval returned %d, want %d", got, i)
		}
	}
}

func TestEval_many(t *testing.T) {
	th, p := start(t), startPool(t, 3)
	ends(t, func() {
		var all group.Group
		for i := range 8 {
			all.Go(func() {
				for k := range scaled(2000) {
					want := [4]int{i, k, i, k}
					if got := thread.Eval(th, func() [4]int { return want }); got != want {
						t.Errorf("Eval returned %v, want %v", got, want)
						return
					}
					if got := thread.MustEval(p, func() [4]int { return want }); got != want {
						t.Errorf("MustEval returned %v, want %v", got, want)
						return
					}
				}
			})
		}
		all.Wait()
	})
}
