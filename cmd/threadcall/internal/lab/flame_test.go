package main

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/pprof/profile"
)

// sampled is a profile with the stacks, the outermost function first, and their numbers of samples.
func sampled(stacks map[string]int64) *profile.Profile {
	p := &profile.Profile{SampleType: []*profile.ValueType{{Type: "samples", Unit: "count"}}}
	functions := map[string]*profile.Location{}
	for stack, n := range stacks {
		s := &profile.Sample{Value: []int64{n}}
		for name := range strings.SplitSeq(stack, " ") {
			if functions[name] == nil {
				f := &profile.Function{ID: uint64(len(functions) + 1), Name: name}
				p.Function = append(p.Function, f)
				functions[name] = &profile.Location{ID: f.ID, Line: []profile.Line{{Function: f}}}
				p.Location = append(p.Location, functions[name])
			}
			s.Location = append([]*profile.Location{functions[name]}, s.Location...)
		}
		p.Sample = append(p.Sample, s)
	}
	return p
}

var example = map[string]int64{
	"main.f":                   20,
	"main.f main.g":            10,
	"main.f runtime.newobject": 25,
	"main.f runtime.newobject runtime.malloc": 25,
	"runtime.mcall runtime.malloc":            20,
}

func TestAFlameGraphIsAsWideAsTheSamples(t *testing.T) {
	svg := string(flame("a <title>", sampled(example)))
	if !strings.Contains(svg, "a &lt;title&gt;: 100 samples") {
		t.Error("no title")
	}
	frame := regexp.MustCompile(`<title>(\S+): (\d+) of 100 samples.*?</title><rect x="([\d.]+)" y="(\d+)" width="([\d.]+)"`)
	type place struct{ x, y, width float64 }
	at := map[string][]place{}
	for _, f := range frame.FindAllStringSubmatch(svg, -1) {
		n := make([]float64, 4)
		for i := range n {
			n[i], _ = strconv.ParseFloat(f[i+2], 64)
		}
		if width := n[3]; width < 10*n[0]-1 || width > 10*n[0] {
			t.Errorf("%s has %v samples and a width of %v", f[1], n[0], width)
		}
		at[f[1]] = append(at[f[1]], place{n[1], n[2], n[3]})
	}
	for name, frames := range map[string]int{"root": 1, "main.f": 1, "main.g": 1, "runtime.newobject": 1, "runtime.malloc": 2, "runtime.mcall": 1} {
		if len(at[name]) != frames {
			t.Fatalf("%s has %d frames, want %d:\n%s", name, len(at[name]), frames, svg)
		}
	}
	caller, callee := at["main.f"][0], at["runtime.newobject"][0]
	if callee.y != caller.y+flameRow || callee.x < caller.x || callee.x+callee.width > caller.x+caller.width {
		t.Errorf("what is called is at %+v, its caller at %+v", callee, caller)
	}
}

func TestSharesOfAProfile(t *testing.T) {
	p := sampled(example)
	if all, malloc := total(p, 0), cumulative(p, 0, "runtime.malloc"); all != 100 || malloc != 45 {
		t.Errorf("%v samples, %v of runtime.malloc", all, malloc)
	}
	if functions, samples := below(p, 0, "main.f"); samples != 50 || len(functions) != 2 {
		t.Errorf("below main.f: %v samples in %v", samples, functions)
	}
	if functions, samples := below(p, 0, "main.g"); samples != 0 || len(functions) != 0 {
		t.Errorf("below main.g: %v samples in %v", samples, functions)
	}
}

func TestLabelsHaveRoom(t *testing.T) {
	for _, test := range []struct {
		name  string
		width float64
		want  string
	}{
		{"runtime.mallocgc", 200, "mallocgc"},
		{"example.com/a/b.(*T).Method", 200, "b.(*T).Method"},
		{"example.com/a/b.(*T).Method", 50, "b.(*T)…"},
		{"runtime.mallocgc", 10, ""},
	} {
		if got := fit(label(test.name), test.width); got != test.want {
			t.Errorf("%s in %v: %q, want %q", test.name, test.width, got, test.want)
		}
	}
}
