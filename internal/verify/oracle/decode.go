package oracle

import (
	"math/rand/v2"
	"slices"
)

// A program is small, so that many run in a second and a failure can be read.
const (
	maxPlaces  = 6
	maxScripts = 4
	maxOps     = 64
	maxDepth   = 6
	maxDear    = 6 // operations that take longer than all others
)

func (o *op) dear() bool {
	return o.verb == collect || o.verb == procs || o.verb == brief || o.n >= 300
}

// decode makes a program of any bytes. What they lack is zero; what is too much, or illegal, is left out.
func decode(data []byte) *program {
	d := &decoder{data: data}
	for range 1 + d.below(maxPlaces) {
		k := kind(d.below(int(kinds)))
		if k == main && slices.Contains(d.p.places, main) {
			k = own
		}
		d.p.places = append(d.p.places, k)
	}
	for range 1 + d.below(maxScripts) {
		d.p.scripts = append(d.p.scripts, d.body(spot{here: nowhere}, 0))
	}
	d.p.renumber()
	return &d.p
}

type decoder struct {
	data      []byte
	p         program
	ops, dear int
}

func (d *decoder) below(n int) int {
	if len(d.data) == 0 {
		return 0
	}
	b := d.data[0]
	d.data = d.data[1:]
	return int(b) % n
}

func (d *decoder) body(s spot, depth int) (ops []*op) {
	for {
		o := &op{verb: verb(d.below(int(verbs)))}
		if o.verb == stop {
			return ops
		}
		d.ops++
		ok := d.ops <= maxOps
		if o.verb.hasPlace() {
			o.on = d.below(len(d.p.places))
		}
		if o.verb == withContext {
			o.how = how(d.below(int(hows)))
		}
		if numbers := o.numbers(); numbers != nil {
			o.n = numbers[d.below(len(numbers))]
		}
		if o.dear() {
			d.dear++
			ok = ok && d.dear <= maxDear
		}
		if o.verb.hasBody() && depth < maxDepth {
			o.through = d.below(2) == 1
			o.body = d.body(s.inside(o), depth+1)
			o.end = end(d.below(int(ends)))
		}
		if ok && d.p.legal(o, s) == nil {
			ops = append(ops, o)
		}
	}
}

// encode is the inverse of decode, for programs within its limits.
func encode(p *program) (data []byte) {
	add := func(n int) { data = append(data, byte(n)) }
	add(len(p.places) - 1)
	for _, k := range p.places {
		add(int(k))
	}
	add(len(p.scripts) - 1)
	var body func(ops []*op, depth int)
	body = func(ops []*op, depth int) {
		for _, o := range ops {
			add(int(o.verb))
			if o.verb.hasPlace() {
				add(o.on)
			}
			if o.verb == withContext {
				add(int(o.how))
			}
			if numbers := o.numbers(); numbers != nil {
				add(slices.Index(numbers, o.n))
			}
			if o.verb.hasBody() && depth < maxDepth {
				through := 0
				if o.through {
					through = 1
				}
				add(through)
				body(o.body, depth+1)
				add(int(o.end))
			}
		}
		add(int(stop))
	}
	for _, script := range p.scripts {
		body(script, 0)
	}
	return data
}

// generate makes the program of a seed.
func generate(seed uint64) *program {
	g := &chooser{r: rand.New(rand.NewPCG(seed, 0))}
	chance := func(percent int) bool { return g.r.IntN(100) < percent }
	for range 1 + g.r.IntN(4) {
		k := own
		if chance(50) {
			k = kind(g.r.IntN(int(kinds)))
		}
		if k == main && slices.Contains(g.p.places, main) {
			k = own
		}
		g.p.places = append(g.p.places, k)
	}
	// Most programs go without some of what makes the outcome less certain.
	for v := stop + 1; v < verbs; v++ {
		switch {
		case v == terminate && chance(60), v == unlock && chance(50), v == bubble && chance(80), v == brief && chance(80):
		case v <= post:
			g.verbs = append(g.verbs, v, v, v, v)
		case v == yield, v == sleep, v == serve, v.pulls(), v == suspend, v == poll:
			g.verbs = append(g.verbs, v, v)
		default:
			g.verbs = append(g.verbs, v)
		}
	}
	g.timed, g.exits, g.panics = chance(40), chance(40), chance(60)
	scripts := 1 + g.r.IntN(maxScripts)
	budget := 4 + g.r.IntN(maxOps-4)
	for range scripts {
		g.budget = budget / scripts
		var script []*op
		for g.budget > 0 {
			script = append(script, g.body(spot{here: nowhere}, 0)...)
			if chance(20) {
				break
			}
		}
		g.p.scripts = append(g.p.scripts, script)
	}
	return decode(encode(&g.p)) // leaves out what is too dear
}

type chooser struct {
	r                    *rand.Rand
	p                    program
	verbs                []verb
	timed, exits, panics bool
	budget               int
}

func (g *chooser) body(s spot, depth int) (ops []*op) {
	for range g.r.IntN(6) {
		if g.budget--; g.budget < 0 {
			break
		}
		o := &op{verb: g.verbs[g.r.IntN(len(g.verbs))]}
		if o.verb.hasPlace() {
			o.on = g.r.IntN(len(g.p.places))
		}
		if o.verb == withContext {
			o.how = how(g.r.IntN(int(hows)))
			if o.how.timed() && !g.timed {
				o.how = open
			}
		}
		if numbers := o.numbers(); numbers != nil {
			o.n = numbers[g.r.IntN(len(numbers))]
		}
		if g.p.legal(o, s) != nil {
			continue
		}
		if o.verb.hasBody() && depth < maxDepth {
			o.through = g.r.IntN(4) == 0
			o.body = g.body(s.inside(o), depth+1)
			switch e := end(g.r.IntN(int(ends) + 2)); {
			case (e == exits || e == unwinds) && g.exits, (e == panics || e == errs) && g.panics:
				o.end = e
			}
		}
		ops = append(ops, o)
	}
	return ops
}
