package bench

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/host"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// measure runs rounds until there are enough. Without an error, that was so.
func (s *Session) measure(ctx context.Context) error {
	s.Each.Start = func(cmd *exec.Cmd) error { return host.Start(cmd, s.Pin) }
	order := rounds.NewOrder(s.Seed)
	watch := host.Machine{Pin: s.Pin, Procs: s.Procs}.Watch()
	defer func() { s.report.During = watch.End() }()
	began := time.Now()
	for n := 0; ; n++ {
		runs := order.Round(n, s.jobs)
		if len(runs) == 0 {
			s.report.Stopped = "no benchmark is left that has not failed"
			return nil
		}
		r := Round{Number: n + 1, Began: time.Now(), Processes: len(runs)}
		for i, run := range runs {
			s.show.measuring(s.part(n, i, len(runs), began), s.progress(n, i, runs, began))
			if err := s.process(ctx, watch, &r, run); err != nil {
				s.show.doing("")
				s.report.Stopped = fmt.Sprintf("interrupted in round %d", n+1)
				return err
			}
		}
		s.show.doing("")
		r.Seconds = time.Since(r.Began).Seconds()
		s.report.Rounds = append(s.report.Rounds, r)
		enough, left, err := s.enough(n+1, began)
		if err != nil {
			s.report.Stopped = "it cannot be judged"
			return err
		}
		s.show.roundDone(r, s.of(), left)
		if enough {
			return nil
		}
	}
}

// process runs one process and keeps what it has measured.
func (s *Session) process(ctx context.Context, watch *host.Watch, r *Round, run rounds.Run) error {
	span := watch.Begin()
	o, err := s.Each.Do(ctx, run)
	taken := span.End()
	if err != nil {
		return err
	}
	s.pace.add(run, o.Time)
	version := s.report.Versions[run.Version].Name
	for _, l := range o.Lines {
		if l.Result.GetConfig("pkg") == "" { // a benchmark that has removed it
			l.Result.SetConfig("pkg", run.Job.Package)
		}
		s.data.Add(run.Version, r.Number-1, l.Result)
	}
	for _, u := range o.Units {
		if _, ok := s.data.Units[u.Metadata.UnitMetadataKey]; !ok {
			s.data.Units[u.Metadata.UnitMetadataKey] = u.Metadata
		}
	}
	file := s.files[run.Version]
	was := file.Err()
	file.Add(r.Number-1, o)
	if taken.Marked() {
		r.Disturbed++
		s.report.Disturbed = append(s.report.Disturbed, Disturbed{r.Number, run.Job.Package, run.Job.Benchmark, version, taken})
		file.Comment("disturbed: " + run.Job.Benchmark + " above, " + taken.String())
	}
	if err := file.Err(); err != nil && was == nil {
		s.note("%v. The run goes on, and its table will have everything.", err)
	}
	for _, f := range o.Failed {
		s.data.Fail(run.Version, run.Job.Package, strings.TrimPrefix(f.Benchmark, "Benchmark"), f.Reason)
		file.Comment("failed: " + f.Benchmark)
		s.show.trouble(fmt.Sprintf("%s of %s has failed and will not run again (%s version, round %d):\n%s", f.Benchmark, run.Job.Package, version, r.Number, f.Reason))
	}
	for _, f := range o.Skipped {
		s.note("%s of %s gives no result and will not run again: %s", f.Benchmark, run.Job.Package, f.Reason)
	}
	return nil
}

// enough decides whether there are enough rounds, and says what is to come.
//
// It may look at how wide the intervals are, never at whether a difference is visible: who stops when he sees one, and
// goes on when he does not, sees one in the end where there is none.
func (s *Session) enough(n int, began time.Time) (enough bool, left string, err error) {
	if n == 1 { // what is wrong with -col, -filter or -fail-on is seen with the first results
		c, err := s.compare()
		if err != nil {
			return false, "", err
		}
		if err := units(c, s.FailOn); err != nil {
			return false, "", err
		}
	}
	spent := time.Since(began)
	if s.Budget == 0 {
		if n >= s.Count {
			s.report.Stopped = "all rounds are done"
			return true, "", nil
		}
		return false, about(time.Duration(s.Count-n) * s.pace.round(s.jobs)), nil
	}
	least := max(MinRounds, stats.Rounds(s.Confidence))
	if n < least {
		return false, fmt.Sprintf("%s of the budget are spent, at least %d rounds", s.percent(spent), least), nil
	}
	c, err := s.compare()
	if err != nil {
		return false, "", err
	}
	for i := range c.Tables {
		c.Tables[i].Rows = slices.DeleteFunc(c.Tables[i].Rows, s.ended)
	}
	switch {
	case c.Narrow(s.Until):
		s.report.Stopped = fmt.Sprintf("a change of %.3g %% would be seen everywhere", s.Until*100)
		return true, "", nil
	case spent+s.pace.round(s.jobs) > s.Budget:
		s.report.Stopped = fmt.Sprintf("the budget of %v is spent", s.Budget)
		if spent > s.Budget+s.Budget/10 {
			s.note("The first %d rounds, without which nothing can be said, took %s, more than the budget of %v: a shorter -benchtime or fewer benchmarks would fit into it.", least, round(spent), s.Budget)
		}
		return true, "", nil
	}
	return false, s.percent(spent) + " of the budget are spent", nil
}

// ended reports whether the benchmark has failed, so that more rounds do not tell more about it.
func (s *Session) ended(row stats.Row) bool {
	name := benchfmt.Name(row.Name)
	return slices.ContainsFunc(s.jobs, func(j *rounds.Job) bool {
		return j.Over() && j.Package == row.Package && j.Benchmark == "Benchmark"+string(name.Base())
	}) || slices.ContainsFunc(s.data.Failures, func(f stats.Failure) bool {
		rest, ok := strings.CutPrefix(row.Name, f.Name)
		return ok && f.Package == row.Package && (rest == "" || rest[0] == '-')
	})
}

func (s *Session) percent(spent time.Duration) string {
	return fmt.Sprintf("%.0f %%", 100*float64(spent)/float64(s.Budget))
}

// part returns how much of the run is done.
func (s *Session) part(n, done, of int, began time.Time) float64 {
	if s.Budget > 0 {
		return min(1, float64(time.Since(began))/float64(s.Budget))
	}
	return (float64(n) + float64(done)/float64(of)) / float64(s.Count)
}

// of returns " of 10" if the number of rounds is known.
func (s *Session) of() string {
	if s.Budget > 0 {
		return ""
	}
	return fmt.Sprintf(" of %d", s.Count)
}

// progress says what runs now and how long all will take.
func (s *Session) progress(n, done int, runs []rounds.Run, began time.Time) string {
	text := fmt.Sprintf("round %d%s: %d of %d, %s", n+1, s.of(), done+1, len(runs), runs[done].Job.Benchmark)
	switch left := s.pace.rest(runs[done:]); {
	case !s.pace.known():
	case s.Budget == 0:
		text += ", " + about(left+time.Duration(s.Count-n-1)*s.pace.round(s.jobs))
	default:
		text += ", " + s.percent(time.Since(began)) + " of the budget"
	}
	return text
}
