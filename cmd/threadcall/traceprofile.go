package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/pprof"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A waitProfile is a file for the waits of one kind.
type waitProfile struct{ kind, file string }

// joinProfiles makes one argument, KIND=FILE, of the two that follow each -pprof.
func joinProfiles(args []string) (joined []string) {
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return append(joined, args[i:]...)
		case (arg == "-pprof" || arg == "--pprof") && i+2 < len(args) && !strings.Contains(args[i+1], "="):
			joined = append(joined, arg, args[i+1]+"="+args[i+2])
			i += 2
		default:
			joined = append(joined, arg)
		}
	}
	return joined
}

func (o *traceCommand) addProfile(text string) error {
	kind, file, _ := strings.Cut(text, "=")
	switch {
	case !slices.Contains(report.ProfileKinds, kind):
		return fmt.Errorf("the kinds of profiles are %s", strings.Join(report.ProfileKinds, ", "))
	case file == "":
		return errors.New("needs a kind and a file")
	}
	o.profiles = append(o.profiles, waitProfile{kind, file})
	return nil
}

// writeProfiles writes the profiles of the report that was made last.
func (o *traceCommand) writeProfiles(r *report.Report) error {
	for _, p := range o.profiles {
		file := o.numbered(p.file)
		if err := writeProfile(file, p.kind, r); err != nil {
			return fmt.Errorf("the profile %s cannot be written: %w", file, err)
		}
		fmt.Fprintf(o.progress, "wrote %s\n", ui.Plain(file))
	}
	return nil
}

func writeProfile(file, kind string, r *report.Report) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	err = pprof.Write(f, r.Waiting.Totals[slices.Index(report.ProfileKinds, kind)], r.Trace)
	return errors.Join(err, f.Close())
}
