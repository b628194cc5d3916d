package rounds

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// explain finds in the output of a process what failed or was skipped, and why. It is not sure if the process may have
// more to say about that when it is verbose.
func (o *Outcome) explain(p *ended, failed bool, cpus string) (sure bool) {
	started := begun(p.stdout, cpus)
	var verdicts []Failure
	sure = true
	for _, v := range judged(p.all) {
		if v.failed != failed { // if something failed, what was skipped may still give results
			continue
		}
		name := v.name
		if !slices.Contains(started, name) && plain(name, cpus) != name { // is that the number of CPUs, or the end of the name?
			name = plain(name, cpus)
			sure = sure && slices.Contains(started, name)
		}
		verdicts = append(verdicts, Failure{name, v.reason, p.all})
	}
	var found []Failure
	crashed := failed && (crash.MatchString(p.all) || p.tooLong)
	if crashed {
		name := o.Job.unfinished(p, started, cpus)
		sure = sure && name != o.Job.Benchmark
		reason := decisive(p.all, 6)
		if p.tooLong {
			reason = p.failure
		}
		found = append(found, Failure{name, reason, p.all})
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
			if reason = decisive(p.all, 6); reason == "" {
				reason = p.failure
			}
		}
		if failed || len(o.Job.skip) == 0 { // otherwise, all that would have given results has failed before
			found = append(found, Failure{o.Job.Benchmark, reason, p.all})
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
			all[n-1].reason = decisive(strings.Join(behind, "\n"), 4)
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
			all = append(all, judgement{m[2], m[1] == "FAIL", decisive(strings.Join(before, "\n"), 4)})
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
			if name = strings.TrimSpace(named.FindString(line)); name == "" {
				continue
			}
			name = plain(name, cpus)
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
func (j *Job) unfinished(p *ended, started []string, cpus string) string {
	done := map[string]bool{}
	lines, _, _ := parse(p.stdout)
	for _, l := range lines {
		name := "Benchmark" + l.Result.Name.String()
		done[name], done[plain(name, cpus)] = true, true
	}
	for _, v := range judged(p.all) {
		done[v.name], done[plain(v.name, cpus)] = true, true
	}
	for _, name := range started {
		inside := func(other string) bool { return strings.HasPrefix(other, name+"/") }
		if strings.HasPrefix(name, j.Benchmark+"/") && !done[name] && !slices.ContainsFunc(started, inside) {
			return name
		}
	}
	return j.Benchmark
}

// plain returns the name without the number of CPUs that testing appends to it at times, and never if it is 1.
func plain(name, cpus string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 {
		return name
	}
	n, err := strconv.Atoi(name[i+1:])
	among := slices.Contains(strings.Split(cpus, ","), name[i+1:]) || cpus == "" && n <= runtime.NumCPU()
	if err != nil || n < 2 || !among {
		return name
	}
	return name[:i]
}

// drop makes that the benchmark does not run again.
func (j *Job) drop(name string) {
	sub, ok := strings.CutPrefix(name, j.Benchmark+"/")
	if !ok {
		j.over = true
		return
	}
	pattern := "^" + j.Benchmark + "$"
	for element := range strings.SplitSeq(sub, "/") {
		pattern += "/^" + regexp.QuoteMeta(element) + "$"
	}
	if slices.Contains(j.skip, pattern) { // it ran although it was to be skipped
		j.over = true
	}
	j.skip = append(j.skip, pattern)
}

var (
	crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG[A-Z]+: |unexpected fault address|runtime: |WARNING: DATA RACE)`)
	frame = regexp.MustCompile(`^\t\S.*\.(go|s):[0-9]+`)
	// goOwn are the lines of the standard library that are in the way, and of the main function that the go command writes.
	goOwn = regexp.MustCompile(`^\t(.*/src/(testing|runtime)/|(testing|runtime|internal|sync)/|_testmain\.go:)`)
	noise = regexp.MustCompile(`^(goos|goarch|pkg|cpu): |^\s*--- |^(PASS|FAIL|ok|exit status \d+)$|^Benchmark\S*(\s|$)|^goroutine \d+ |^\s*$|^\[signal |^created by |^(testing|runtime|panic)[.(]|^\(`)
)

// decisive returns at most n lines of a process's output that tell why it failed: what it said when it crashed and the
// first line of source code outside of Go's own, or else what it wrote last.
func decisive(output string, n int) string {
	var said []string
	at := crash.FindStringIndex(output)
	if at != nil {
		output = output[at[0]:]
	}
	where := ""
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if frame.MatchString(line) {
			if where == "" && !goOwn.MatchString(line) {
				where, _, _ = strings.Cut(strings.TrimSpace(line), " +0x")
			}
			continue
		}
		if noise.MatchString(line) || at != nil && where == "" && len(said) > 0 && strings.HasSuffix(line, ")") {
			continue
		}
		if at != nil && where != "" {
			break
		}
		said = append(said, strings.TrimSpace(line))
	}
	if at == nil && len(said) > n {
		said = said[len(said)-n:]
	}
	if where != "" {
		said = append(said[:min(len(said), n-1)], "at "+where)
	}
	return strings.Join(said[:min(len(said), n)], "\n")
}

// lineInBenchmark is the line of source code in the function of a benchmark, of a stack trace.
var lineInBenchmark = regexp.MustCompile(`\n\t(\S.*\.go:[0-9]+)[^\n]*\ntesting\.\(\*B\)\.runN\(`)

// benchmarkLine returns where the benchmark was, or the innermost of its sub-benchmarks, when the process wrote the stack
// traces of all its goroutines. It is empty if they do not tell.
func benchmarkLine(output string) string {
	for stack := range strings.SplitSeq(output, "\n\n") {
		if m := lineInBenchmark.FindStringSubmatch(stack); m != nil && !strings.Contains(stack, "\ntesting.(*B).Run(") {
			return m[1]
		}
	}
	return ""
}
