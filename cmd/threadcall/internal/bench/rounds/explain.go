package rounds

import (
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

var verdict = regexp.MustCompile(`(?m)^\s*--- (FAIL|SKIP): (Benchmark\S*).*\n((?:[ \t]+.*(?:\n|$))*)`)

// explain finds in the output of a process what failed or was skipped, and why.
func (o *Outcome) explain(p *ended, failed bool, cpus string) {
	seen := map[string]bool{}
	note := func(list *[]Failure, name, reason string) {
		if !seen[name] {
			seen[name] = true
			*list = append(*list, Failure{name, reason, p.all})
		}
	}
	for _, m := range verdict.FindAllStringSubmatch(p.all, -1) {
		name, reason := plain(m[2], cpus), strings.TrimSpace(decisive(m[3], 4))
		if m[1] == "FAIL" {
			if reason == "" { // its sub-benchmarks failed
				continue
			}
			note(&o.Failed, name, reason)
		} else {
			note(&o.Skipped, name, reason)
		}
	}
	switch crashed := crash.MatchString(p.all); {
	case failed && (crashed || len(o.Failed) == 0):
		name, reason := o.Job.Benchmark, decisive(p.all, 6)
		if crashed {
			name = o.Job.last(p.stdout, cpus)
		}
		if reason == "" {
			reason = p.failure
		}
		note(&o.Failed, name, reason)
	case !failed && len(o.Skipped) == 0:
		note(&o.Skipped, o.Job.Benchmark, "it ended well, but without a result")
	}
	if failed {
		o.Skipped = nil // the rest of it may still give results
	}
}

// last returns the benchmark that started last, according to the output.
func (j *Job) last(stdout, cpus string) string {
	name := j.Benchmark
	for line := range strings.Lines(stdout) {
		if n := started.FindString(line); n == j.Benchmark || strings.HasPrefix(n, j.Benchmark+"/") || strings.HasPrefix(n, j.Benchmark+"-") {
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
	noise = regexp.MustCompile(`^(goos|goarch|pkg|cpu): |^(PASS|FAIL|ok|exit status \d+)$|^Benchmark\S*(\s|$)|^goroutine \d+ |^\s*$|^\[signal |^created by |^(testing|runtime|panic)[.(]|^\(`)
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
