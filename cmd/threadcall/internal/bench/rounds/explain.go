package rounds

import (
	"regexp"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// explain finds in the output of a process what failed or was skipped, and why. It is not sure if the process may have
// more to say about that when it is verbose.
func (o *Outcome) explain(p *gotest.Result, failed bool, cpus string) (sure bool) {
	started := begun(p.Stdout, cpus)
	var verdicts []Failure
	sure = true
	for _, v := range judged(p.Output) {
		if v.failed != failed { // if something failed, what was skipped may still give results
			continue
		}
		name := v.name
		if !slices.Contains(started, name) && gotest.PlainName(name, cpus) != name { // is that the number of CPUs, or the end of the name?
			name = gotest.PlainName(name, cpus)
			sure = sure && slices.Contains(started, name)
		}
		verdicts = append(verdicts, Failure{name, v.reason})
	}
	var found []Failure
	crashed := failed && (gotest.Crashed(p.Output) || p.TooLong)
	if crashed {
		name := o.Job.unfinished(p, started, cpus)
		sure = sure && name != o.Job.Benchmark
		reason := gotest.Decisive(p.Output, 6)
		if p.TooLong {
			reason = p.Failure
		}
		found = append(found, Failure{name, reason})
	}
	for _, v := range verdicts {
		inside := func(f Failure) bool { return strings.HasPrefix(f.Benchmark, v.Benchmark+"/") }
		if slices.ContainsFunc(found, func(f Failure) bool { return f.Benchmark == v.Benchmark || inside(f) }) ||
			v.Reason == "" && slices.ContainsFunc(verdicts, inside) {
			continue // its parts are to blame
		}
		if v.Reason == "" {
			v.Reason = "it does not say why"
		}
		found = append(found, v)
	}
	if len(found) == 0 {
		sure = false
		reason := "it ended well, but without a result"
		if failed {
			if reason = gotest.Decisive(p.Output, 6); reason == "" {
				reason = p.Failure
			}
		}
		if failed || len(o.Job.skip) == 0 { // otherwise, all that would have given results has failed before
			found = append(found, Failure{o.Job.Benchmark, reason})
		}
	}
	if failed {
		o.Failed = found
	} else {
		o.Skipped = found
	}
	return sure
}

// A judgement is what testing says of a benchmark that has no result.
type judgement struct {
	name   string
	failed bool
	reason string
}

var verdict = regexp.MustCompile(`^\s*--- (FAIL|SKIP): (Benchmark\S*)`)

// judged returns what testing says about benchmarks in the output. The reason stands behind it, or before it if the process
// is verbose.
func judged(output string) (all []judgement) {
	var before, behind []string
	finish := func() {
		if n := len(all); n > 0 && len(behind) > 0 {
			all[n-1].reason = gotest.Decisive(strings.Join(behind, "\n"), 4)
		}
		behind = nil
	}
	open := false // behind belongs to the last judgement
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		m := verdict.FindStringSubmatch(line)
		switch indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t"); {
		case m != nil:
			finish()
			all = append(all, judgement{m[2], m[1] == "FAIL", gotest.Decisive(strings.Join(before, "\n"), 4)})
			before, open = nil, true
		case indented && open:
			behind = append(behind, line)
		case indented:
			before = append(before, line)
		default:
			finish()
			before, open = nil, false
		}
	}
	finish()
	return all
}

var onlyName = regexp.MustCompile(`^Benchmark\S*$`)

// begun returns the benchmarks that the output says have started, in their order. A verbose process says it of all, with
// their very names; any other only of those that it measures, with the number of CPUs.
func begun(stdout, cpus string) (names []string) {
	for line := range strings.Lines(stdout) {
		line = strings.TrimRight(line, "\r\n")
		name := onlyName.FindString(line)
		if name == "" {
			if name = strings.TrimSpace(gotest.Named.FindString(line)); name == "" {
				continue
			}
			name = gotest.PlainName(name, cpus)
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// unfinished returns the first benchmark of those that have started that neither has a result, nor a verdict, nor parts
// that have started; or else the top-level one. It is the first and not the last, because testing may start the next one
// while a panic ends the process.
func (j *Job) unfinished(p *gotest.Result, started []string, cpus string) string {
	done := map[string]bool{}
	lines, _, _ := gotest.ParseResults(p.Stdout)
	for _, l := range lines {
		name := "Benchmark" + l.Result.Name.String()
		done[name], done[gotest.PlainName(name, cpus)] = true, true
	}
	for _, v := range judged(p.Output) {
		done[v.name], done[gotest.PlainName(v.name, cpus)] = true, true
	}
	for _, name := range started {
		inside := func(other string) bool { return strings.HasPrefix(other, name+"/") }
		if strings.HasPrefix(name, j.Benchmark+"/") && !done[name] && !slices.ContainsFunc(started, inside) {
			return name
		}
	}
	return j.Benchmark
}
