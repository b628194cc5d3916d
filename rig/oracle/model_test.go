package oracle

import (
	"slices"
	"strings"
)

// answers is a set of ways in which an operation may end for what made it, or a function for what
// called it.
type answers uint8

const (
	ran      answers = 1 << iota // the function has run and returned; for Go, it was taken on
	refused                      // the thread has been terminated, and the function will not run
	expired                      // the context was done, and the function will not run
	panicked                     // as the function did
	exited                       // the goroutine ends: the function has called Goexit

	// with panicked: it did while Goexit unwound it, and if its caller recovers, the Goexit goes on
	unwound
)

func (a answers) String() string {
	var names []string
	for i, name := range []string{"ran", "refused", "expired", "panicked", "exited"} {
		if a&(1<<i) != 0 {
			names = append(names, name)
		}
	}
	if names == nil {
		return "nothing"
	}
	return strings.Join(names, " or ")
}

// A certainty reports whether something can happen, and whether it must.
type certainty struct{ can, must bool }

func (c certainty) allows(happened bool) bool {
	if happened {
		return c.can
	}
	return !c.must
}

// An expectation is what the model says of one operation.
type expectation struct {
	made    certainty // the operation is made
	begins  certainty // its function runs
	answers answers
	leaves  answers // how it may end the function in which it is made, beyond its answer
}

// A model goes through a program in the order of the text, as if each function ran in place, and
// says what is allowed. It knows nothing of threads but these:
//
//   - A function runs exactly once, and its caller learns how it ended.
//   - Of the functions that are coalesced at a place, one may be left out, but then a later one
//     runs.
//   - A function for a place that the program may terminate, or with a context that may be done in
//     time, may be left out; then its caller learns so.
//   - Goexit unwinds the goroutine that serves, and with it whatever function that goroutine has
//     begun and not ended. Such a function may run what others gave to its thread: it serves, or
//     its thread is part of a cycle.
//
// So without Terminate, timing and Goexit, each operation has one answer.
type model struct {
	p       *program
	expect  []expectation // by number of operation
	ending  []bool        // places that the program may terminate
	mayExit []bool        // places on which a function may call Goexit
}

func predict(p *program) *model {
	n := p.renumber()
	m := &model{p: p, ending: make([]bool, len(p.places)), mayExit: make([]bool, len(p.places))}
	p.visit(func(o *op, _ spot) {
		if o.verb == terminate {
			m.ending[o.on] = true
		}
	})
	for known := []bool(nil); !slices.Equal(known, m.mayExit); {
		known = slices.Clone(m.mayExit)
		m.expect = make([]expectation, n)
		for _, script := range p.scripts {
			// each of them is made: a goroutine that exits is replaced, see execute.go
			for _, o := range script {
				m.make(o, spot{here: nowhere}, certainty{true, true})
			}
		}
	}
	return m
}

// body reports how a function may end.
func (m *model) body(of *op, s spot, live certainty) (set answers) {
	for _, o := range of.body {
		a := m.make(o, s, live)
		stops := a & exited
		if o.through {
			stops |= a & panicked
		}
		set |= stops | m.expect[o.number].leaves
		live.must = live.must && set&(exited|unwound) == 0 && stops == 0
		live.can = live.can && a != stops
	}
	if live.can {
		set |= [...]answers{returns: ran, panics: panicked, errs: panicked, exits: exited,
			unwinds: panicked | unwound}[of.end]
	}
	return set
}

// make says what o may answer.
func (m *model) make(o *op, s spot, live certainty) (set answers) {
	e := &m.expect[o.number]
	e.made = live
	begins := live
	unwinding := s.here != nowhere && m.mayExit[s.here] // while it waits
	switch o.verb {
	default:
		set = ran
	case serve, serveFor, dialog:
		set = ran
		if m.ending[s.here] {
			set |= refused
		}
		if unwinding {
			set |= exited
		}
	case post, try, postContext, coalesced: // of the coalesced, a later one may take the place
		set = ran
		if m.ending[o.on] || o.verb == try && m.p.places[o.on] == limited {
			set |= refused
		}
		begins.must = begins.must && o.verb != coalesced && set&refused == 0
		set, begins = o.limited(set, begins)
		m.function(o, s, begins)
	case coroutine: // package iter ends one that panics during Goexit by the panic alone
		begins.must = begins.must && !unwinding
		set = m.body(o, s.inside(o), begins) &^ unwound
		if unwinding {
			set |= exited
		}
	case generator: // it is stopped where it is if the function that made it ends early
		set, begins.must = ran, false
		e.leaves = m.body(o, s.inside(o), begins) & exited
	case startPool:
		if unwinding {
			set, begins.must = exited, false
		}
		set |= m.body(o, s.inside(o), begins)
	case call, eval, withContext:
		if unwinding && !m.p.inPlace(o, s) {
			set |= exited
			begins.must = false
		}
		if m.ending[o.on] {
			set |= refused
			begins.must = false
		}
		if o.how != ahead || !m.p.inPlace(o, s) { // else it is cancelled after the call
			set, begins = o.limited(set, begins)
		}
		set |= m.function(o, s, begins)
	}
	if o.verb.hasBody() {
		e.begins = begins
	}
	if !live.can {
		set = 0
	}
	if set&unwound != 0 {
		e.leaves = exited
		if o.through {
			e.leaves = unwound
		}
		set &^= unwound
	}
	e.answers = set
	return set
}

// limited adds what the context of o does to its answers, and to whether its function begins.
func (o *op) limited(set answers, begins certainty) (answers, certainty) {
	switch o.how {
	case timeout, cancel:
		return set | expired, certainty{can: begins.can}
	case ahead:
		return set | expired, certainty{}
	case done: // it is looked at first
		return expired, certainty{}
	}
	return set, begins
}

// function reports how the function of o may end on its place.
func (m *model) function(o *op, s spot, begins certainty) answers {
	set := m.body(o, s.inside(o), begins)
	if set&(exited|unwound) != 0 {
		m.mayExit[o.on] = true
	}
	return set
}
