package oracle

import (
	"math/rand/v2"
	"slices"
	"time"
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
	return o.verb == collect || o.verb == procs || o.verb == brief || o.n >= 300
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

// shrink takes away from p what is not needed for fails to be true, until the time is up.
func shrink(p *program, fails func(p *program) bool, limit time.Duration) *program {
	end := time.Now().Add(limit)
	for smaller := true; smaller; {
		smaller = false
		for _, c := range cuts(p) {
			if time.Now().After(end) {
				return p
			}
			if fails(c) {
				p, smaller = c, true
				break
			}
		}
	}
	return p
}

// cuts are the legal programs that have one thing less than p, the largest things first.
func cuts(p *program) (all []*program) {
	try := func(change func(c *program)) {
		c, err := parse(p.String())
		if err != nil {
			panic(err)
		}
		change(c)
		c.renumber()
		if c.check() == nil && c.String() != p.String() {
			all = append(all, c)
		}
	}
	for i := range p.scripts {
		if len(p.scripts) > 1 {
			try(func(c *program) { c.scripts = slices.Delete(c.scripts, i, i+1) })
		}
	}
	n := p.renumber()
	for _, by := range []func(o *op) []*op{
		func(*op) []*op { return nil },
		func(o *op) []*op { return o.body },
		func(o *op) []*op { o.end = returns; return []*op{o} },
		func(o *op) []*op { o.through = false; return []*op{o} },
		func(o *op) []*op {
			if o.verb.hasHow() {
				o.how, o.n = open, 0
			}
			return []*op{o}
		},
	} {
		for number := range n {
			try(func(c *program) {
				for i, script := range c.scripts {
					c.scripts[i] = replace(script, number, by)
				}
			})
		}
	}
	for i := range p.places {
		try(func(c *program) { c.places[i] = own })
	}
	if last := len(p.places) - 1; last > 0 {
		try(func(c *program) { c.places = c.places[:last] }) // illegal if an operation names it
	}
	return all
}

// replace puts what by returns in the place of an operation.
func replace(ops []*op, number int, by func(o *op) []*op) (kept []*op) {
	for _, o := range ops {
		o.body = replace(o.body, number, by)
		if o.number == number {
			kept = append(kept, by(o)...)
		} else {
			kept = append(kept, o)
		}
	}
	return kept
}
