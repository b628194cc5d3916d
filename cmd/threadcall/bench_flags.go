package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

// buildFlags are those of go build that make another binary.
type buildFlags struct {
	tags                       string
	race                       bool
	gcflags, ldflags, asmflags []string
	mod, pgo                   string
	trimpath                   bool
}

func (b *buildFlags) define(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&b.tags, "tags", "", "`list` as for go build")
	flags.BoolVar(&b.race, "race", false, "as for go build")
	flags.StringArrayVar(&b.gcflags, "gcflags", nil, "`flags` as for go build")
	flags.StringArrayVar(&b.ldflags, "ldflags", nil, "`flags` as for go build")
	flags.StringArrayVar(&b.asmflags, "asmflags", nil, "`flags` as for go build")
	flags.StringVar(&b.mod, "mod", "", "`mode` as for go build")
	flags.StringVar(&b.pgo, "pgo", "", "`file` as for go build")
	flags.BoolVar(&b.trimpath, "trimpath", true, "as for go build; it keeps the length of a path from moving code")
}

// list returns the flags as the go command takes them.
func (b *buildFlags) list() (flags []string) {
	for _, f := range []struct {
		name   string
		values []string
	}{
		{"tags", given(b.tags)}, {"gcflags", b.gcflags}, {"ldflags", b.ldflags}, {"asmflags", b.asmflags},
		{"mod", given(b.mod)}, {"pgo", given(b.pgo)},
	} {
		for _, v := range f.values {
			flags = append(flags, "-"+f.name+"="+v)
		}
	}
	if b.race {
		flags = append(flags, "-race")
	}
	if b.trimpath {
		flags = append(flags, "-trimpath")
	}
	return flags
}

func given(value string) []string {
	if value == "" {
		return nil
	}
	return []string{value}
}

// percentage reads "1%" or "1" as 0.01.
func percentage(name, text string) (float64, error) {
	x, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil {
		return 0, fmt.Errorf("%s must be a percentage such as 1%%, not %q", name, text)
	}
	return x / 100, nil
}

// cpuList reads the flag -cpu.
func cpuList(text string) (procs []int, err error) {
	if text == "" {
		return nil, nil
	}
	for field := range strings.SplitSeq(text, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(field))
		if err != nil || n < 1 {
			return nil, fmt.Errorf("-cpu must be a list of numbers such as 1,2,4, not %q", text)
		}
		procs = append(procs, n)
	}
	return procs, nil
}

// benchtime checks what testing would refuse only in each process.
func benchtime(text string) error {
	if text == "" {
		return nil
	}
	if count, ok := strings.CutSuffix(text, "x"); ok {
		if n, err := strconv.ParseInt(count, 10, 0); err == nil && n > 0 {
			return nil
		}
	} else if d, err := time.ParseDuration(text); err == nil && d > 0 {
		return nil
	}
	return fmt.Errorf("-benchtime must be a time such as 100ms or a number such as 1000x, not %q", text)
}

// typed returns the arguments as one can type them in a shell.
func typed(args []string) string {
	var words []string
	for _, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n|&;<>()$`\\\"'*?[]#~!{}") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		words = append(words, a)
	}
	return strings.Join(words, " ")
}
