package main

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/term"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// bisectCount is the default of -count for -bisect: a test of a commit stops as soon as it is decided.
const bisectCount = 100

func (b *benchCommand) defineBisect() {
	b.Func("bisect", "find the commit of this `range`, good..bad, that made a benchmark worse", func(text string) error {
		b.set.Bisect = text
		return nil
	})
	b.StringVar(&b.set.Unit, "unit", "", "`unit` by which -bisect judges (default: time, or CPU time where the time varies)")
}

// bisect looks for a commit.
func (b *benchCommand) bisect() (err error) {
	if name := b.given(func(name string) bool {
		return slices.Contains([]string{"vs", "aa", "col", "filter", "fail-on", "ratios", "html", "o"}, name)
	}); name != "" {
		return fmt.Errorf("-%s does not go with -bisect", name)
	}
	if !b.has("count") {
		b.set.Count = bisectCount
	}
	if err := b.set.Validate(); err != nil {
		return err
	}
	b.set.Command = typed(append([]string{"threadcall"}, os.Args[1:]...))
	if b.set.Dir, err = os.Getwd(); err != nil {
		return unmeasured{err}
	}
	out, progress := ui.On(b.stdout), ui.On(b.stderr)
	show := session.Progress{Progress: progress, Terminal: term.IsTerminal(int(b.stderr.Fd()))}
	ctx, stop := interruptible(statusUsage, progress)
	defer stop()
	found, err := session.Bisect(ctx, b.set, show)
	progress.Progress("")
	if found == nil {
		return could(err)
	}
	if b.json {
		return could(errors.Join(err, writeJSON(b.stdout, found)))
	}
	found.Print(out, b.set.Verbose)
	return could(errors.Join(err, out.Err))
}
