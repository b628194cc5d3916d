package rounds

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

var verdict = regexp.MustCompile(`(?m)^\s*--- (FAIL|SKIP): (Benchmark\S*).*\n((?:[ \t]+.*(?:\n|$))*)`)

// explain finds in the output of a process what failed or was skipped, and why. It is not sure if the process may have
// more to say about that when it is verbose.
func (o *Outcome) explain(p *ended, failed bool, cpus string) (sure bool) {
	var verdicts []Failure
	for _, m := range verdict.FindAllStringSubmatch(p.all, -1) {
		if (m[1] == "FAIL") == failed { // if something failed, what was skipped may still give results
			verdicts = append(verdicts, Failure{plain(m[2], cpus), decisive(m[3], 4), p.all})
		}
	}
	var found []Failure
	crashed := failed && crash.MatchString(p.all)
	if crashed {
		name := o.Job.last(p.stdout, cpus)
		sure = name != o.Job.Benchmark
		found = append(found, Failure{name, decisive(p.all, 6), p.all})
	}
	for _, v := range verdicts {
		part := func(f Failure) bool {
			return f.Benchmark == v.Benchmark || strings.HasPrefix(f.Benchmark, v.Benchmark+"/")
		}
		if slices.ContainsFunc(found, part) || v.Reason == "" && slices.ContainsFunc(verdicts, func(f Failure) bool {
			return strings.HasPrefix(f.Benchmark, v.Benchmark+"/")
		}) {
			continue // its parts are to blame
		}
		if v.Reason == "" {
			v.Reason = "it does not say why"
		}
		found = append(found, v)
		sure = sure || !crashed
	}
	if len(found) == 0 {
		reason := "it ended well, but without a result"
		if failed {
			if reason = decisive(p.all, 6); reason == "" {
				reason = p.failure
			}
		}
		found = append(found, Failure{o.Job.Benchmark, reason, p.all})
	}
	if failed {
		o.Failed = found
	} else {
		o.Skipped = found
	}
	return sure
}

// last returns the benchmark that started last and has no result, according to the output, or else the top-level one.
func (j *Job) last(stdout, cpus string) string {
	name := j.Benchmark
	for line := range strings.Lines(stdout) {
		n := started.FindString(line)
		switch {
		case n == "":
		case measured.MatchString(strings.TrimRight(line, "\r\n")):
			name = j.Benchmark
		case n == j.Benchmark || strings.HasPrefix(n, j.Benchmark+"/") || strings.HasPrefix(n, j.Benchmark+"-"):
			name = plain(n, cpus)
		}
	}
	return name
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
	for _, have := range j.skip {
		if have == pattern { // it ran although it was to be skipped
			j.over = true
		}
	}
	j.skip = append(j.skip, pattern)
}

var (
	crash = regexp.MustCompile(`(?m)^(panic: |fatal error: |SIG[A-Z]+: |unexpected fault address|runtime: |WARNING: DATA RACE)`)
	frame = regexp.MustCompile(`^\t\S.*\.(go|s):[0-9]+`)
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
			own := !strings.Contains(line, "/src/testing/") && !strings.Contains(line, "/src/runtime/") &&
				!strings.HasPrefix(line, "\ttesting/") && !strings.HasPrefix(line, "\truntime/")
			if own && where == "" {
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
