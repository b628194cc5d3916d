package demo

import (
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	mainthread.Init(func() { os.Exit(m.Run()) })
}

func TestThreadcallDoesWhatItPromises(t *testing.T) {
	n := 0
	for f := range Facts() {
		if n++; !f.OK {
			t.Errorf("%+v", f)
		}
	}
	if want := len(experiments(threadcall)); n != want {
		t.Errorf("%d of %d facts", n, want)
	}
}

// wrong returns which facts a library gets wrong.
func wrong(lib library, patience time.Duration) (facts []int, seen string) {
	i := 0
	for f := range perform(experiments(lib), patience) {
		if !f.OK {
			facts, seen = append(facts, i), f.Seen
		}
		i++
	}
	return facts, seen
}

const (
	first = iota
	calls
	nested
	cycle
	panics
	exits
	leaves
)

func TestFactsFindOutWhatALibraryGetsWrong(t *testing.T) {
	swallow := func(f func()) func() {
		return func() {
			defer func() { recover() }()
			f()
		}
	}
	for _, c := range []struct {
		name string
		lib  library
		want []int
	}{{
		"runs functions wherever it is called",
		library{
			func(f func()) bool { f(); return true },
			func(f func()) bool { swallow(f)(); return true },
			func() error { return nil },
		},
		[]int{first, calls, nested, cycle, panics, exits, leaves},
	}, {
		"swallows panics",
		library{
			func(f func()) bool { return mainthread.Call(swallow(f)) },
			func(f func()) bool { return mainthread.Go(swallow(f)) },
			threadcall.Error,
		},
		[]int{panics, leaves},
	}, {
		"makes errors of panics",
		library{
			func(f func()) bool {
				defer func() {
					if v := recover(); v != nil {
						panic(fmt.Errorf("%v", v))
					}
				}()
				return mainthread.Call(f)
			},
			mainthread.Go,
			func() error {
				if err := threadcall.Error(); err != nil {
					return fmt.Errorf("%v", err)
				}
				return nil
			},
		},
		[]int{panics, leaves},
	}} {
		if got, _ := wrong(c.lib, patience); !slices.Equal(got, c.want) {
			t.Errorf("a library that %s: facts %v are wrong, want %v", c.name, got, c.want)
		}
	}
}

func TestAnExperimentThatHangsIsTheLast(t *testing.T) {
	hangs := library{Call: func(func()) bool { select {} }}
	got, seen := wrong(hangs, 20*time.Millisecond)
	if !slices.Equal(got, []int{first}) || seen != "none in 20ms" {
		t.Errorf("facts %v are wrong, the last %q", got, seen)
	}
}
