package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/bisect"
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
func (b *benchCommand) bisect() error {
	if name := b.given(func(name string) bool {
		return slices.Contains([]string{"vs", "aa", "col", "filter", "fail-on", "ratios", "html", "o"}, name)
	}); name != "" {
		return fmt.Errorf("-%s does not go with -bisect", name)
	}
	if !b.has("count") {
		b.set.Count = bisectCount
	}
	log, ctx, stop, err := b.begin()
	if err != nil {
		return err
	}
	defer stop()
	found, err := bisect.Run(ctx, &b.set, log)
	log.Progress("")
	if found == nil {
		return could(err)
	}
	if b.json {
		return could(errors.Join(err, writeJSON(b.stdout, found)))
	}
	out := ui.On(b.stdout)
	found.Print(out, b.set.Verbose)
	return could(errors.Join(err, out.Err))
}
