package oracle

import (
	"time"
)

// shrink takes away from p what is not needed for fails to be true, for as long as the time allows.
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
	n := p.renumber()
	try := func(change func(c *program)) {
		c := p.clone()
		change(c)
		c.renumber()
		if c.check() == nil {
			all = append(all, c)
		}
	}
	for i := range p.scripts {
		if len(p.scripts) > 1 {
			try(func(c *program) { c.scripts = append(c.scripts[:i:i], c.scripts[i+1:]...) })
		}
	}
	for number := range n {
		try(func(c *program) { c.replace(number, func(*op) []*op { return nil }) })
	}
	for number := range n {
		o := p.find(number)
		if len(o.body) > 0 {
			try(func(c *program) { c.replace(number, func(o *op) []*op { return o.body }) })
		}
		if o.end != returns {
			try(func(c *program) { c.find(number).end = returns })
		}
		if o.through {
			try(func(c *program) { c.find(number).through = false })
		}
		if o.how != open {
			try(func(c *program) { o := c.find(number); o.how, o.n = open, 0 })
		}
	}
	for i, k := range p.places {
		if k != own {
			try(func(c *program) { c.places[i] = own })
		}
	}
	last := len(p.places) - 1
	if last > 0 && !p.has(func(o *op) bool { return o.verb.hasPlace() && o.on == last }) {
		try(func(c *program) { c.places = c.places[:last] })
	}
	return all
}

func (p *program) clone() *program {
	c := &program{places: append([]kind(nil), p.places...)}
	var body func(ops []*op) []*op
	body = func(ops []*op) (copies []*op) {
		for _, o := range ops {
			twin := *o
			twin.body = body(o.body)
			copies = append(copies, &twin)
		}
		return copies
	}
	for _, script := range p.scripts {
		c.scripts = append(c.scripts, body(script))
	}
	return c
}

func (p *program) find(number int) (found *op) {
	p.visit(func(o *op, _ spot) {
		if o.number == number {
			found = o
		}
	})
	return found
}

// replace puts others in the place of an operation.
func (p *program) replace(number int, by func(o *op) []*op) {
	var body func(ops []*op) []*op
	body = func(ops []*op) (kept []*op) {
		for _, o := range ops {
			if o.number == number {
				kept = append(kept, by(o)...)
				continue
			}
			o.body = body(o.body)
			kept = append(kept, o)
		}
		return kept
	}
	for i, script := range p.scripts {
		p.scripts[i] = body(script)
	}
}
