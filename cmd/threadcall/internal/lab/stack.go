package main

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/bench"
)

// stack compares a result that is copied with pointers that are passed up and down the stack.
func stack(l *lab) (section, error) {
	variants := []struct {
		name, function, job string
		work                func(n int)
		ns                  interval // in the article
		cost                cost     // in the article
		lines               []string // of the compiler, in the article
	}{
		{"`stackIt`, a copy", "Value", "values", subject.Values, within(1.52, 0.005), cost{}, nil},
		{"`stackIt2`, a pointer up the stack", "Up", "ups", subject.Ups, within(16.0, 0.05), cost{8, 1}, []string{"moved to heap: res"}},
		{"`stackIt3`, a pointer down the stack", "Down", "", subject.Downs, within(1.62, 0.005), cost{}, []string{"y does not escape"}},
	}
	var contenders []bench.Contender
	for _, v := range variants {
		contenders = append(contenders, bench.Timed("", v.work))
	}
	s, err := l.measure(0, contenders...)
	if err != nil {
		return section{}, err
	}
	compiler, err := l.compile("-m -l")
	if err != nil {
		return section{}, err
	}
	out := section{
		about: "Functions that are not inlined return a number, return a pointer to it, and take a pointer, as those of " + understanding + ". The compiler is " +
			"asked with `go build -gcflags '-m -l'`. A CPU profile is taken of calls of the first two, for " + l.profiled.String() + " each.",
		files: map[string][]byte{},
	}
	var rows, profiled [][]string
	var inRuntime [2]estimate
	var itself estimate
	var functions [2]float64
	for i, v := range variants {
		here, m := costOf(l.allocs, func() { v.work(1) }), s[i].median()
		line := compiler.claim(v.function, "`-m -l` on "+v.name+": "+quoted(v.lines), v.lines...)
		rows = append(rows, []string{v.name, duration((v.ns.low + v.ns.high) / 2), m.time(), v.cost.String(), here.String(), quoted(v.lines), line.here})
		out.claims = append(out.claims, claim{says: v.name + " takes " + duration((v.ns.low+v.ns.high)/2), claimed: v.ns, found: m, unit: duration})
		out.claims = append(out.claims, v.cost.claims(v.name, here)...)
		out.claims = append(out.claims, line)
		if v.job == "" {
			continue
		}
		p, err := l.profile(job{Name: v.job, N: 1_000_000, Lasting: l.profiled})
		if err != nil {
			return section{}, err
		}
		called, samples := below(p, 0, subjects+"."+v.function)
		if i == 0 {
			itself = proportion(cumulative(p, 0, subjects+".Values")-samples, total(p, 0))
		}
		functions[i], inRuntime[i] = float64(len(called)), proportion(samples, total(p, 0))
		profiled = append(profiled, []string{v.name, whole(functions[i]), inRuntime[i].in(percents), whole(total(p, 0))})
		out.files[v.job+".svg"] = flame(strings.Trim(strings.Split(v.name, ",")[0], "`"), p)
		if out.files[v.job+".pprof"], err = pack(p); err != nil {
			return section{}, err
		}
	}
	ratio := s[1].over(s[0])
	stacks := func(n float64) string { return ui.Counted(n, "stack", "stacks") + " moved" }
	out.claims = append(out.claims,
		claim{says: "the stack of a goroutine starts with 2 KB", claimed: is(2048), found: exactly(firstStack), unit: asBytes,
			here: asBytes(firstStack) + " in a new process; collections adapt it, " + asBytes(startingStack()) + " now"},
		claim{says: "calls that need more, here 64 KiB, make the runtime copy it to a larger one", claimed: is(1), found: exactly(copied(64)), unit: stacks},
		claim{says: "calls for which it has room do not", claimed: is(0), found: exactly(copied(0)), unit: stacks},
		claim{says: "a pointer up the stack takes 10.5 times as long as a copy", claimed: variants[1].ns.over(variants[0].ns), found: ratio, unit: asTimes},
		claim{says: "it takes longer", claimed: more(1), direction: true, found: ratio, unit: asTimes},
		claim{says: "the profile of `stackIt` runs down to the function itself: share of the samples in it and its loop, and in nothing that it calls", claimed: more(0.5),
			direction: true, found: itself, unit: percents},
		claim{says: "`stackIt2` makes heavy use of the runtime: share of the samples in functions of it, more than of `stackIt`", claimed: more(inRuntime[0].high),
			direction: true, found: inRuntime[1], unit: percents},
		claim{says: "and of a large number of its functions, more than `stackIt`", claimed: more(functions[0]), direction: true, found: exactly(functions[1]), unit: number})
	out.tables = []string{
		table([]string{"a call", "the article", "here", "from the heap, the article", "from the heap, here", "`-m -l`, the article", "`-m -l`, here"}, rows),
		table([]string{"in the profile, below", "functions of the runtime", "share of the samples in them", "samples"}, profiled),
		picture("The CPU profile of stackIt", "values"), picture("The CPU profile of stackIt2", "ups"),
	}
	return out, nil
}

// nineFields makes as many structs as the article's tests do, and compares copies with pointers.
func nineFields(l *lab) (section, error) {
	variants := []struct {
		name, job string
		work      func(n int)
		ns        interval // in the article
		cost      cost     // in the article
	}{
		{"copied", "copied", subject.Copies, within(5.20, 0.005), cost{}},
		{"pointed to", "pointed", subject.Pointers, within(52.6, 0.05), cost{80, 1}},
	}
	s, err := l.measure(l.pointers, bench.Timed("", subject.Copies), bench.Timed("", subject.Pointers))
	if err != nil {
		return section{}, err
	}
	all, err := l.traces(job{Name: "copied", N: l.pointers}, job{Name: "pointed", N: l.pointers})
	if err != nil {
		return section{}, err
	}
	compiler, err := l.compile("-m -l")
	if err != nil {
		return section{}, err
	}
	var claims []claim
	var calls, rows [][]string
	for i, v := range variants {
		here, m := costOf(l.allocs, func() { v.work(1) }), s[i].median()
		calls = append(calls, []string{v.name, duration((v.ns.low + v.ns.high) / 2), m.time(), v.cost.String(), here.String()})
		claims = append(claims, claim{says: v.name + ", it takes " + duration((v.ns.low+v.ns.high)/2), claimed: v.ns, found: m, unit: duration})
		claims = append(claims, v.cost.claims(v.name+", it", here)...)
	}
	ratio := s[1].over(s[0])
	claims = append(claims,
		compiler.claim("Pointed", "`-m -l`: the literal of the struct escapes to heap", "&Nine{...} escapes to heap"),
		compiler.claim("Copied", "`-m -l`: no line about the copy"),
		claim{says: "pointed to, it takes 10.1 times as long as copied", claimed: variants[1].ns.over(variants[0].ns), found: ratio, unit: asTimes},
		claim{says: "20,000,000 times in a test, 2.224 s and 0.281 s, it takes 7.9 times as long", claimed: within(2.224, 0.0005).over(within(0.281, 0.0005)),
			found: each(all[1], seconds).over(each(all[0], seconds)), unit: asTimes},
		claim{says: "it takes longer", claimed: more(1), direction: true, found: ratio, unit: asTimes})
	for _, r := range []struct {
		name            string
		copied, pointed float64 // in the article; not a number if it does not have it
		of              func(traced) float64
		unit            func(float64) string
		more            string // the claim of a direction
	}{
		{"the test", 0.281e9, 2.224e9, func(t traced) float64 { return float64(t.total) }, duration, ""},
		{"goroutines created", 41, 406965, func(t traced) float64 { return float64(t.Goroutines.Created) }, number, "more goroutines are created"},
		{"heap, growths", 10, 197549, func(t traced) float64 { return float64(len(t.steps)) }, number, "the heap has more events"},
		{"threads", 15, 12943, func(t traced) float64 { return float64(t.Table.Threads) }, number, "more threads are used"},
		{"bgsweep, executions", 0, 193094, func(t traced) float64 { return float64(sweeps(t.Report)) }, number, "bgsweep runs more often"},
		{"STW, how often", 0, 397, func(t traced) float64 { return float64(t.Stops.All.N) }, number, "the world is stopped more often"},
		{"collections", none, none, func(t traced) float64 { return float64(t.GC.Cycles) }, number, ""},
		{"Ps that ran goroutines", 2, 8, func(t traced) float64 { return float64(t.procs) }, number, ""},
		{"of the test: swept for allocations", none, none, func(t traced) float64 { return float64(t.sweeping) / float64(t.total) }, percents, ""},
		{"marked for allocations", none, none, func(t traced) float64 { return float64(t.assists) / float64(t.total) }, percents, ""},
		{"world stopped", none, none, func(t traced) float64 { return float64(t.stopped) / float64(t.total) }, percents, ""},
		{"collections, begin to end", none, none, func(t traced) float64 { return float64(t.cycles) / float64(t.total) }, percents, ""},
		{"ready, not running", none, none, func(t traced) float64 { return float64(t.runnable) / float64(t.total) }, percents, ""},
	} {
		copied, pointed := each(all[0], r.of).median(), each(all[1], r.of).median()
		rows = append(rows, []string{r.name, known(r.copied, r.unit), known(r.pointed, r.unit), copied.in(r.unit), pointed.in(r.unit)})
		if r.more == "" {
			continue
		}
		claims = append(claims,
			claim{says: fmt.Sprintf("%s: %s copied", r.name, r.unit(r.copied)), claimed: is(r.copied), found: copied, unit: r.unit},
			claim{says: fmt.Sprintf("%s: %s pointed to", r.name, r.unit(r.pointed)), claimed: is(r.pointed), found: pointed, unit: r.unit},
			claim{says: "pointed to, " + r.more, claimed: more(copied.high), direction: true, found: pointed, unit: r.unit})
	}
	procs := func(t traced) float64 { return float64(t.procs) }
	over := interval{0.15, 1}
	claims = append(claims,
		claim{says: "copied, the test uses two of eight Ps", claimed: is(2), found: each(all[0], procs).median(), unit: number, cpus: 8},
		claim{says: "pointed to, it uses all Ps", claimed: is(float64(runtime.NumCPU())), found: each(all[1], procs).median(), unit: number},
		claim{says: "pointed to, over 15 % of its time is sweeping, pausing and scheduling; a pause is a collection from begin to end, as `go tool trace` then counted it",
			claimed: over, found: each(all[1], func(t traced) float64 { return float64(t.counted) / float64(t.total) }).median(), unit: percents},
		claim{says: "the same; a pause is a stop of the world, as `go tool trace` counts it now",
			claimed: over, found: each(all[1], func(t traced) float64 { return float64(t.either) / float64(t.total) }).median(), unit: percents})
	return section{
		about: "A function that is not inlined makes a struct of three ints, three strings and three bools, and returns it or a pointer " +
			"to it, as the tests of " + understanding + " do. The article's numbers of goroutines, of the heap and of threads seem to be numbers of " +
			"events in the picture. A test was traced in " + fmt.Sprint(leastRounds) + " processes each. Times of the test's goroutine overlap: a goroutine that sweeps can be in a collection.",
		tables: []string{
			table([]string{"a call", "the article", "here", "from the heap, the article", "from the heap, here"}, calls),
			table([]string{"in a trace of " + whole(l.pointers) + " calls", "copied, the article", "pointed to, the article", "copied, here", "pointed to, here"}, rows),
		},
		claims: claims,
	}, nil
}

func seconds(t traced) float64 { return t.total.Seconds() }
