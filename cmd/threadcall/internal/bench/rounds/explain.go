package rounds

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// failures returns what failed in a process, and why. A crash is one of the whole benchmark.
func (j *Job) failures(p *gotest.Result, cpus string) (found []Failure) {
	switch {
	case p.TooLong:
		found = append(found, Failure{j.Benchmark, p.Failure})
	case gotest.Crashed(p.Output):
		found = append(found, Failure{j.Benchmark, gotest.Decisive(p.Output, 6)})
	}
	all := failed(p.Output, cpus)
	for _, f := range all {
		inside := func(g Failure) bool { return strings.HasPrefix(g.Benchmark, f.Benchmark+"/") }
		known := func(g Failure) bool { return f.Benchmark == g.Benchmark || inside(g) }
		if slices.ContainsFunc(found, known) || f.Reason == "" && slices.ContainsFunc(all, inside) {
			continue // it failed because a part of it did
		}
		f.Reason = cmp.Or(f.Reason, "it gave no reason")
		found = append(found, f)
	}
	if len(found) == 0 {
		found = []Failure{{j.Benchmark, cmp.Or(gotest.Decisive(p.Output, 6), p.Failure)}}
	}
	return found
}

var verdict = regexp.MustCompile(`^\s*--- FAIL: (Benchmark\S*)`)

// failed returns the benchmarks that testing reports as failed, each with the indented lines that follow.
func failed(output, cpus string) (all []Failure) {
	var reason []string
	open := false // the reason belongs to the last one
	finish := func() {
		if open {
			all[len(all)-1].Reason = gotest.Decisive(strings.Join(reason, "\n"), 4)
		}
		reason, open = nil, false
	}
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n")
		if m := verdict.FindStringSubmatch(line); m != nil {
			finish()
			all, open = append(all, Failure{Benchmark: gotest.PlainName(m[1], cpus)}), true
		} else if strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t") {
			reason = append(reason, line)
		} else {
			finish()
		}
	}
	finish()
	return all
}
