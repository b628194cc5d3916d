package main

import (
	"bytes"
	"os"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
)

// profile runs the job with a CPU profile.
func (l *lab) profile(j job) (*profile.Profile, error) {
	file, err := os.CreateTemp("", "threadcall-lab-*.pprof")
	if err != nil {
		return nil, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	j.CPU = file.Name()
	if err := l.run(j); err != nil {
		return nil, err
	}
	p, err := profile.Parse(file)
	if err != nil {
		return nil, err
	}
	anonymize(p)
	return p, nil
}

// anonymize removes what is about the machine of the profile: directories, and the name of the program.
func anonymize(p *profile.Profile) {
	for _, f := range p.Function {
		f.Filename = path.Base(f.Filename)
	}
	for _, m := range p.Mapping {
		m.File, m.BuildID = "lab", ""
	}
}

// pack is the profile as go tool pprof reads it.
func pack(p *profile.Profile) ([]byte, error) {
	var b bytes.Buffer
	err := p.Write(&b)
	return b.Bytes(), err
}

// names are the functions of a sample's stack, the outermost first, inlined ones included.
func names(s *profile.Sample) (all []string) {
	for _, location := range slices.Backward(s.Location) {
		for _, line := range slices.Backward(location.Line) {
			if line.Function != nil {
				all = append(all, line.Function.Name)
			}
		}
	}
	return all
}

// total is the sum of a value of all samples.
func total(p *profile.Profile, value int) (sum float64) {
	for _, s := range p.Sample {
		sum += float64(s.Value[value])
	}
	return sum
}

// cumulative is the sum of a value of the samples with one of the functions in their stacks.
func cumulative(p *profile.Profile, value int, functions ...string) (sum float64) {
	for _, s := range p.Sample {
		if slices.ContainsFunc(names(s), func(name string) bool { return slices.Contains(functions, name) }) {
			sum += float64(s.Value[value])
		}
	}
	return sum
}

// below are the functions of the runtime that the function calls, and the sum of a value of the samples in them.
func below(p *profile.Profile, value int, function string) (functions map[string]bool, sum float64) {
	functions = map[string]bool{}
	for _, s := range p.Sample {
		all := names(s)
		at := slices.Index(all, function)
		if at < 0 {
			continue
		}
		inRuntime := false
		for _, name := range all[at+1:] {
			if ofRuntime(name) && !interrupt[name] {
				functions[name], inRuntime = true, true
			}
		}
		if inRuntime {
			sum += float64(s.Value[value])
		}
	}
	return functions, sum
}

// interrupt has what preempts any function.
var interrupt = map[string]bool{"runtime.asyncPreempt": true, "runtime.asyncPreempt2": true}

// local is the name that a function of this program has in profiles; the program is package main, unless it is a test.
func local(name string) string {
	pc, _, _, _ := runtime.Caller(0)
	here := runtime.FuncForPC(pc).Name()
	return strings.TrimSuffix(here, "local") + name
}
