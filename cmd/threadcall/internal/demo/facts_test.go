package demo

import (
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
	for f := range perform(experiments(threadcall), timeout) {
		if n++; !f.ok {
			t.Errorf("%+v", f)
		}
	}
	if want := len(experiments(threadcall)); n != want {
		t.Errorf("%d of %d facts", n, want)
	}
}

// wrong returns which facts a library gets wrong, by index.
func wrong(lib library, timeout time.Duration) (facts []int, seen string) {
	i := 0
	for f := range perform(experiments(lib), timeout) {
		if !f.ok {
			facts, seen = append(facts, i), f.seen
		}
		i++
	}
	return facts, seen
}

func TestFactsFindWhatALibraryGetsWrong(t *testing.T) {
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
		"runs functions in place",
		library{
			func(f func()) bool { f(); return true },
			func(f func()) bool { swallow(f)(); return true },
			func() error { return nil },
		},
		[]int{0, 1, 2, 3, 4, 5, 6},
	}, {
		"swallows panics",
		library{
			func(f func()) bool { return mainthread.Call(swallow(f)) },
			func(f func()) bool { return mainthread.Go(swallow(f)) },
			threadcall.Error,
		},
		[]int{4, 6},
	}} {
		if got, _ := wrong(c.lib, timeout); !slices.Equal(got, c.want) {
			t.Errorf("a library that %s: facts %v are wrong, want %v", c.name, got, c.want)
		}
	}
}

func TestAnExperimentThatHangsIsTheLast(t *testing.T) {
	hangs := library{Call: func(func()) bool { select {} }}
	if got, seen := wrong(hangs, 20*time.Millisecond); !slices.Equal(got, []int{0}) || seen != "none in 20ms" {
		t.Errorf("facts %v are wrong, the last %q", got, seen)
	}
}
