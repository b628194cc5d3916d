// Package demo shows what threadcall promises and what it costs, on the machine that it runs on:
// facts about the main thread, each with what was expected and what was seen, and what a call takes
// by the designs of the article that threadcall starts from, and by threadcall.
package demo

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/osthread"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// rounds is how many samples of each row are taken.
const rounds = 9

// Run takes samples of that duration. It writes each result to out when it is there, and returns
// whether all facts are as expected. It must be called on a goroutine of a program whose main
// thread mainthread.Init serves.
func Run(sample time.Duration, out, progress *ui.Screen) (ok bool) {
	p := printer{out}
	p.Printf("%s  %s/%s, %s, %d CPUs, GOMAXPROCS=%d, CGO_ENABLED=%s\n\n", p.Bold("threadcall demo"),
		runtime.GOOS, runtime.GOARCH,
		runtime.Version(), runtime.NumCPU(), runtime.GOMAXPROCS(0), cgo())
	p.Printf("%s\n\n", p.Bold("1. Functions run on the thread they belong to"))
	p.Printf("Process %d. Its main thread is thread %s.\n\n", os.Getpid(), osthread.Main())
	var facts []fact
	add := func(f fact) {
		facts = append(facts, f)
		p.fact(f)
	}
	for f := range perform(experiments(threadcall), timeout) {
		add(f)
		if f.hung { // and so would the measurement
			return p.closing(facts)
		}
	}
	rows := newRows()
	p.measuring(sample)
	served := measure(rows, rounds, sample, func(done, all int) {
		progress.Progress(fmt.Sprintf("%d of %d samples taken", done, all))
	})
	progress.Progress("")
	p.results(rows)
	add(served)
	return p.closing(facts)
}

// cgo returns the CGO_ENABLED of the build, or ? if it was not recorded.
func cgo() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "CGO_ENABLED" {
				return s.Value
			}
		}
	}
	return "?"
}
