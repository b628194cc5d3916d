package oracle

import (
	"math/rand/v2"
	"slices"
)

// A program is small, so that many run in a second and a failure can be read.
const (
	maxPlaces    = 4
	maxScripts   = 4
	maxOps       = 64
	maxDepth     = 6
	maxExpensive = 6 // operations that take longer than all others
)

func (o *op) expensive() bool {
	return o.verb == collect || o.verb == procs || o.n >= 300
}

// seeded makes the program of a seed.
func seeded(seed uint64) *program {
	choose := rand.New(rand.NewPCG(seed, 0)).IntN
	g := &generation{choose: choose}
	for range 1 + choose(maxPlaces) {
		k := own
		if g.chance(50) {
			k = kind(choose(int(kinds)))
		}
		if k == main && slices.Contains(g.p.places, main) {
			k = own
		}
		g.p.places = append(g.p.places, k)
	}
	// Most programs go without some of what makes the outcome less certain.
	for v, t := range verbTable {
		if !g.chance(t.rare) {
			g.verbs = append(g.verbs, slices.Repeat([]verb{verb(v)}, max(t.weight, 1))...)
		}
	}
	g.timed, g.exits, g.panics = g.chance(40), g.chance(40), g.chance(60)
	scripts := 1 + choose(maxScripts)
	budget := 4 + choose(maxOps-4)
	for range scripts {
		g.budget = budget / scripts
		var script []*op
		for g.budget > 0 {
			script = append(script, g.body(spot{here: nowhere}, 0)...)
			if g.chance(20) {
				break
			}
		}
		g.p.scripts = append(g.p.scripts, script)
	}
	g.p.renumber()
	return &g.p
}

type generation struct {
	choose               func(n int) int
	p                    program
	verbs                []verb
	timed, exits, panics bool
	budget, expensive    int
}

func (g *generation) chance(percent int) bool { return g.choose(100) < percent }

func (g *generation) body(s spot, depth int) (ops []*op) {
	for range g.choose(6) {
		if g.budget--; g.budget < 0 {
			break
		}
		o := &op{verb: g.verbs[g.choose(len(g.verbs))]}
		if o.verb.hasPlace() {
			if o.on = g.choose(len(g.p.places)); s.here != nowhere && g.chance(25) {
				o.on = s.here
			}
		}
		if o.verb.hasHow() {
			if o.how = how(g.choose(int(hows))); o.how.timed() && !g.timed {
				o.how = open
			}
		}
		if numbers := o.numbers(); numbers != nil {
			o.n = numbers[g.choose(len(numbers))]
		}
		if !g.p.legal(o, s) {
			continue
		}
		if o.expensive() {
			if g.expensive++; g.expensive > maxExpensive {
				continue
			}
		}
		if o.verb.hasBody() && depth < maxDepth {
			o.through = g.chance(25)
			o.body = g.body(s.inside(o), depth+1)
			switch e := end(g.choose(int(ends) + 2)); {
			case (e == exits || e == unwinds) && g.exits, (e == panics || e == errs) && g.panics:
				o.end = e
			}
		}
		ops = append(ops, o)
	}
	return ops
}
