package measure

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/build"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// The calibration of a benchmark takes a part of the time that a process has in a round, but not less than the second.
const (
	calibrationPart = 5
	calibrationMin  = 10 * time.Millisecond
)

// Calibrate runs each benchmark once in each version, finds its sub-benchmarks, and chooses the number of iterations of
// each. The results are not kept.
func (m *Measurement) Calibrate(ctx context.Context) error {
	each, once := processes(m.Set)
	var split []*rounds.Job
	var jobs []*rounds.Job
	for _, j := range m.Jobs {
		for cpu := range strings.SplitSeq(m.Set.Each.CPU, ",") {
			one := *j
			one.CPU = strings.TrimSpace(cpu)
			jobs = append(jobs, &one)
		}
	}
	for i, j := range jobs {
		m.Log.Progress(fmt.Sprintf("calibrating %s, %d of %d", j.Benchmark, i+1, len(jobs)))
		var outcomes []*rounds.Outcome
		for version, binary := range j.Versions {
			if binary == nil {
				continue
			}
			run := rounds.Run{Job: j, Version: version}
			o, err := once.Do(ctx, run)
			if err != nil {
				return err
			}
			m.failed(run, o, "calibration")
			outcomes = append(outcomes, o)
		}
		split = append(split, j.Split(outcomes, each)...)
	}
	m.Log.Progress("")
	if len(m.Set.VS) > 0 && m.Set.Bisect == "" {
		var added [][]string
		split, added = build.Common(split, m.Set.VS, m.Log)
		for v, names := range added {
			switch {
			case len(names) == 0:
			case len(added) == 1:
				m.Log.Note("Only in the working tree, so compared with nothing: %s.%s", ui.Some(names, 10), hint(m.Set))
			default:
				m.Log.Note("%s does not have %s.%s", m.Set.VS[v], ui.Some(names, 10), hint(m.Set))
			}
		}
	}
	for _, j := range split {
		j.Group = group(j.Package+"."+j.Benchmark, m.Set.Col)
	}
	m.Jobs = split
	return nil
}

// hint says how to compare benchmarks that only the working tree has.
func hint(s *plan.Settings) string {
	if s.Tests != "" {
		return ""
	}
	return " -tests new measures them with the old code, too."
}

// processes returns how long a process of a benchmark runs, or 0 if -benchtime is a number of iterations, and the settings of a
// calibration.
func processes(s *plan.Settings) (time.Duration, rounds.Settings) {
	once := s.Each
	each := time.Second
	if s.Each.Benchtime != "" {
		if strings.HasSuffix(s.Each.Benchtime, "x") {
			if s.Each.Benchtime != "1x" { // with which testing may print a figure of a benchmark that panics
				once.Benchtime = "2x"
			}
			return 0, once
		}
		each, _ = time.ParseDuration(s.Each.Benchtime) // the command line has checked it
	}
	once.Benchtime = max(each/calibrationPart, min(each, calibrationMin)).String()
	return each, once
}

// group returns what benchmarks have in common that are columns of one row: the name without the keys of -col.
func group(name, col string) string {
	if col == "" {
		return ""
	}
	elements := strings.Split(name, "/")
	return strings.Join(slices.DeleteFunc(elements, func(e string) bool {
		key, _, ok := strings.Cut(e, "=")
		return ok && slices.ContainsFunc(strings.Split(col, ","), func(c string) bool {
			c, _, _ = strings.Cut(c, "@") // an order
			return strings.TrimSpace(c) == "/"+key
		})
	}), "/")
}
