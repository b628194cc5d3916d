package main

import (
	"fmt"
	"slices"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/program"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
)

// aboutCommands are the flags that go with commands alone, and aboutBenchmarks those that do not go with them.
var (
	aboutCommands   = []string{"name", "prepare", "warmup", "shell", "ignore-failure", "show-output"}
	aboutBenchmarks = []string{"bench", "cpu", "vs", "aa", "col"}
)

func (b *benchCommand) defineCommands() {
	c := &b.set.Commands
	b.Func("name", "`name` of a command, in the order of the commands; may be repeated", func(text string) error {
		b.names = append(b.names, text)
		return nil
	})
	b.Func("prepare", "`command` to run before each run of a command, not measured; repeated, one for each", func(text string) error {
		c.Prepare = append(c.Prepare, text)
		return nil
	})
	b.IntVar(&c.Warmup, "warmup", 1, "how many runs of each command, `n`, before the first round")
	b.StringVar(&b.shell, "shell", "", "`program` that runs commands by -c, or none (default: none where no command needs one)")
	b.BoolVar(&c.Ignore, "ignore-failure", false, "go on if a command ends with a status other than 0")
	b.Bool("show-output", false, "show the output of commands")
}

// commands measures commands.
func (b *benchCommand) commands(texts []string) (err error) {
	if name := b.given(func(name string) bool { return slices.Contains(aboutBenchmarks, name) }); name != "" {
		return fmt.Errorf("-%s is about Go benchmarks, and -- begins commands", name)
	}
	set := &b.set
	if !b.has("benchtime") {
		set.Each.Benchtime = "" // a round of a command has another default
	}
	if set.Commands.List, err = program.New(texts, b.names, b.shell); err != nil {
		return err
	}
	if b.has("show-output") {
		set.Commands.Show = b.stderr // the standard output has the results
	}
	if err := set.Validate(); err != nil {
		return err
	}
	return b.run(session.RunCommands)
}

// noCommands returns an error if there are flags for commands, which there are none of.
func (b *benchCommand) noCommands() error {
	if name := b.given(func(name string) bool { return slices.Contains(aboutCommands, name) }); name != "" {
		return fmt.Errorf("-%s is about commands, which follow --", name)
	}
	return nil
}
