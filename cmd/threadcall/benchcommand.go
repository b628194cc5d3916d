package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/program"
)

func (b *benchCommand) defineCommands() {
	b.Func("prepare", "`command` to run before each run of a command, not measured; repeated, one for each", func(text string) error {
		b.set.Commands.Prepare = append(b.set.Commands.Prepare, text)
		return nil
	})
}

// commands measures commands.
func (b *benchCommand) commands(texts []string) (err error) {
	if name := b.given(func(name string) bool { return slices.Contains([]string{"bench", "cpu", "vs", "aa", "col"}, name) }); name != "" {
		return fmt.Errorf("-%s is about Go benchmarks, and -- begins commands", name)
	}
	set := &b.set
	if !b.has("benchtime") {
		set.Each.Benchtime = "" // a round of a command has another default
	}
	if set.Commands.List, err = program.New(texts); err != nil {
		return err
	}
	return b.measure()
}

// noCommands returns an error if there are flags for commands, which there are none of.
func (b *benchCommand) noCommands() error {
	if b.has("prepare") {
		return errors.New("-prepare is about commands, which follow --")
	}
	return nil
}
