// Package oracle tests package thread with random programs. A program is a few goroutines that hand functions to
// threads; the functions do the same in turn. Everything that happens when it runs is compared with what a
// sequential model of the ten promises allows. Nothing outside its own tests uses it.
//
//	program.go    what a program is, and its text form
//	decode.go     programs as bytes, for the fuzzer, and made from a seed
//	model.go      what each operation may answer
//	place.go      the threads, pools and hosts that a program runs on
//	brief.go      threads that live for one function
//	pull.go       coroutines
//	execute.go    running a program, with checks on the way
//	check.go      checks when all is quiet
//	shrink.go     making a program that fails smaller
package oracle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A program is what some goroutines do, each with operations of its own, to some places.
type program struct {
	places  []kind
	scripts [][]*op
}

// A kind of place is a way to have a thread.
type kind uint8

const (
	own     kind = iota // made by New
	limited             // likewise, with a queue limit
	pool1               // a pool
	pool2
	pool3
	hosted  // adopted by a goroutine that waits for OnWake and calls Serve
	serving // adopted by a goroutine that calls ServeContext
	main    // the main thread
	kinds
)

var kindNames = [kinds]string{"own", "limited", "pool1", "pool2", "pool3", "hosted", "serving", "main"}

func (k kind) pool() bool { return k >= pool1 && k <= pool3 }

// size is how many threads there are.
func (k kind) size() int {
	if k.pool() {
		return int(k-pool1) + 1
	}
	return 1
}

// An op is one operation. Those that take a function have what the function does as their body.
type op struct {
	verb    verb
	on      int  // a place
	how     how  // what becomes of a context
	n       int  // microseconds, or a number of processors
	through bool // a panic is not recovered where the operation was made, but goes on
	body    []*op
	end     end

	number int // in the order of the text
}

type verb uint8

const (
	stop        verb = iota // only among bytes: the end of a body
	call                    // Call
	eval                    // Eval, EvalPool
	withContext             // CallContext
	post                    // Go
	coroutine               // iter.Pull, resumed where it was made until it ends
	generator               // iter.Pull, resumed after each operation that follows, and to its end when those have been made
	brief                   // a thread that lives for one function, see brief.go
	bubble                  // the operations are made by a goroutine in a bubble of testing/synctest
	flood                   // Go of many small functions
	terminate               // Terminate
	readError               // Error
	on                      // On
	setTLS                  // SetTLS, of the thread that it is done on
	getTLS                  // GetTLS, likewise
	serve                   // ServeContext inside a function, until a function that it has posted has run
	serveQueued             // Serve inside a function
	onWakeOp                // OnWake
	poll                    // a function takes an event from the event loop of its thread, if there is one
	dialog                  // an event loop inside a function, until a function that it has posted has run
	suspend                 // a function in a coroutine lets the coroutine wait until it is resumed
	callNil                 // each way with a nil function
	unlock                  // UnlockOSThread, once too often
	collect                 // runtime.GC
	procs                   // GOMAXPROCS
	yield                   // Gosched
	sleep
	verbs
)

var verbNames = [verbs]string{
	"", "call", "eval", "context", "go", "coroutine", "generator", "brief", "bubble", "flood", "terminate", "error", "on",
	"settls", "gettls", "serve", "servequeued", "onwake", "poll", "dialog", "suspend", "nil", "unlock", "gc", "procs", "yield",
	"sleep",
}

func (v verb) hasPlace() bool {
	return v >= call && v <= post || v >= flood && v <= on || v == onWakeOp || v == callNil
}
func (v verb) hasBody() bool { return v >= call && v <= bubble }

// pulls tells whether the body is that of a coroutine.
func (v verb) pulls() bool { return v == coroutine || v == generator }

// queues tells whether the function travels to a place, or runs there if the caller is there already.
func (v verb) queues() bool { return v >= call && v <= post }

// how says what becomes of the context of a call.
type how uint8

const (
	open    how = iota // it is never done
	done               // it is before the call
	timeout            // it times out, perhaps before the function begins
	cancel             // it is cancelled, perhaps before the function begins
	ahead              // it is cancelled by a function that the caller posts to the same place before the call
	hows
)

var howNames = [hows]string{"open", "done", "timeout", "cancel", "ahead"}

func (h how) timed() bool { return h == timeout || h == cancel }

// end is how a function ends if nothing else ends it.
type end uint8

const (
	returns end = iota
	panics      // with a value
	errs        // panics with an error
	exits       // Goexit
	unwinds     // Goexit, and a deferred function panics with a value
	ends
)

var endNames = [ends]string{"return", "panic", "error", "goexit", "goexitpanic"}

// Arguments are few, so that a byte changed at random means another one that makes sense.
var micros = []int{0, 1, 5, 20, 50, 100, 300, 2000}

func (o *op) numbers() []int {
	switch {
	case o.verb == procs:
		return []int{1, 2, 3, 4}
	case o.verb == flood:
		return []int{30, 1000}
	case o.verb == brief:
		return briefs
	case o.verb == sleep, o.verb == withContext && o.how.timed():
		return micros
	}
	return nil
}

// A spot is where an operation is made.
type spot struct {
	here      int // the place, or nowhere for a goroutine of the program itself and for a function on a brief thread
	coroutine bool
	bubble    bool
}

const nowhere = -1

// inside is the spot of the body of o.
func (s spot) inside(o *op) spot {
	switch {
	case o.verb.pulls():
		return spot{s.here, true, s.bubble}
	case o.verb == brief, o.verb == bubble:
		return spot{nowhere, false, s.bubble || o.verb == bubble}
	}
	return spot{here: o.on} // in no bubble: the places are made outside
}

// legal tells whether an operation may be made at a spot. The rest either has no meaning, or is what no library could
// keep from deadlocking.
func (p *program) legal(o *op, s spot) error {
	var k kind
	if o.verb.hasPlace() {
		if o.on < 0 || o.on >= len(p.places) {
			return fmt.Errorf("there is no place %d", o.on)
		}
		k = p.places[o.on]
	}
	onThread := s.here != nowhere && !p.places[s.here].pool()
	bad := ""
	switch o.verb {
	case withContext:
		if k.pool() {
			bad = "a pool has no CallContext"
		} else if o.how == ahead && s.bubble {
			bad = "a function outside a bubble must not cancel what is in it"
		}
	case brief, bubble:
		if s.here != nowhere || o.verb == bubble && (s.bubble || s.coroutine) {
			bad = "it is waited for, so it is for goroutines"
		}
	case terminate:
		if k == main {
			bad = "the main thread must live on"
		}
	case on:
		if k.pool() {
			bad = "a pool has no On"
		}
	case setTLS, getTLS:
		if !onThread {
			bad = "it is for functions on a thread"
		}
	case unlock:
		if s.here == nowhere || s.coroutine {
			bad = "it is for functions on a thread and not for coroutines, which cannot bear it"
		}
	case serve, serveQueued:
		if !onThread {
			bad = "it is for functions on a thread"
		}
	case poll, dialog:
		if !onThread || p.places[s.here] != hosted {
			bad = "it is for functions on a thread that has an event loop"
		}
	case onWakeOp:
		if k != hosted && k != serving {
			bad = "it is for adopted threads"
		}
	}
	if bad != "" {
		return fmt.Errorf("%s: %s", verbNames[o.verb], bad)
	}
	return nil
}

// renumber numbers the operations.
func (p *program) renumber() (n int) {
	p.visit(func(o *op, _ spot) { o.number = n; n++ })
	return n
}

// visit calls f for each operation, in the order of the text.
func (p *program) visit(f func(o *op, s spot)) {
	var body func(ops []*op, s spot)
	body = func(ops []*op, s spot) {
		for _, o := range ops {
			f(o, s)
			body(o.body, s.inside(o))
		}
	}
	for _, script := range p.scripts {
		body(script, spot{here: nowhere})
	}
}

// check returns what is illegal in p.
func (p *program) check() (err error) {
	mains := 0
	for _, k := range p.places {
		if k == main {
			mains++
		}
	}
	if len(p.places) == 0 || mains > 1 {
		return fmt.Errorf("%d places, %d of them the main thread", len(p.places), mains)
	}
	p.visit(func(o *op, s spot) {
		if err == nil {
			err = p.legal(o, s)
		}
	})
	return err
}

// has tells whether there is such an operation.
func (p *program) has(such func(o *op) bool) (found bool) {
	p.visit(func(o *op, _ spot) { found = found || such(o) })
	return found
}

func (p *program) String() string { return p.text(nil) }

// text is the form to read and to write by hand, with notes as comments:
//
//	places own pool2
//	goroutine
//		call 0 through {
//			go 1 { panic }
//			sleep 20
//			goexit
//		}
//
// A body ends with return, which may be left out, panic, error, goexit or goexitpanic.
func (p *program) text(note func(o *op) string) string {
	var b strings.Builder
	b.WriteString("places")
	for _, k := range p.places {
		b.WriteString(" " + kindNames[k])
	}
	b.WriteByte('\n')
	var body func(ops []*op, indent string)
	body = func(ops []*op, indent string) {
		for _, o := range ops {
			line := indent + o.String()
			short := len(o.body) == 0 && o.end == returns
			switch {
			case o.verb.hasBody() && short:
				line += " { }"
			case o.verb.hasBody():
				line += " {"
			}
			if note != nil {
				line += strings.Repeat(" ", max(1, 32-len(line)-3*len(indent))) + "// " + note(o)
			}
			b.WriteString(line + "\n")
			if o.verb.hasBody() && !short {
				body(o.body, indent+"\t")
				if o.end != returns {
					b.WriteString(indent + "\t" + endNames[o.end] + "\n")
				}
				b.WriteString(indent + "}\n")
			}
		}
	}
	for _, script := range p.scripts {
		b.WriteString("goroutine\n")
		body(script, "\t")
	}
	return b.String()
}

// String is the operation without its body.
func (o *op) String() string {
	words := []string{verbNames[o.verb]}
	if o.verb.hasPlace() {
		words = append(words, strconv.Itoa(o.on))
	}
	if o.verb == withContext {
		words = append(words, howNames[o.how])
	}
	if o.numbers() != nil {
		words = append(words, strconv.Itoa(o.n))
	}
	if o.through {
		words = append(words, "through")
	}
	return strings.Join(words, " ")
}

// parse reads what text has written.
func parse(text string) (p *program, err error) {
	t := &tokens{}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "//")
		t.words = append(t.words, strings.Fields(line)...)
	}
	defer func() {
		if bad, ok := recover().(syntax); ok {
			p, err = nil, fmt.Errorf("at word %d: %s", t.at, string(bad))
		}
	}()
	p = &program{}
	t.want("places")
	for slices.Contains(kindNames[:], t.peek()) {
		p.places = append(p.places, kind(t.name(kindNames[:])))
	}
	for t.peek() != "" {
		t.want("goroutine")
		script, _ := t.body("goroutine")
		p.scripts = append(p.scripts, script)
	}
	p.renumber()
	return p, p.check()
}

// tokens are the words that are left.
type tokens struct {
	words []string
	at    int
}

type syntax string

func (t *tokens) peek() string {
	if t.at < len(t.words) {
		return t.words[t.at]
	}
	return ""
}

func (t *tokens) next() string {
	w := t.peek()
	t.at++
	return w
}

func (t *tokens) want(word string) {
	if got := t.next(); got != word {
		panic(syntax(fmt.Sprintf("%q, want %q", got, word)))
	}
}

func (t *tokens) name(names []string) int {
	w := t.next()
	i := slices.Index(names, w)
	if i < 0 || w == "" {
		panic(syntax(fmt.Sprintf("%q, want one of %q", w, names)))
	}
	return i
}

func (t *tokens) number() int {
	n, err := strconv.Atoi(t.next())
	if err != nil {
		panic(syntax(err.Error()))
	}
	return n
}

// body reads operations until the word that closes them, which it leaves, and how they end.
func (t *tokens) body(closing string) (ops []*op, e end) {
	for {
		switch w := t.peek(); {
		case w == closing, w == "":
			return ops, e
		case slices.Contains(endNames[:], w) && t.at+1 < len(t.words) && t.words[t.at+1] == "}":
			return ops, end(t.name(endNames[:]))
		}
		o := &op{verb: verb(t.name(verbNames[:]))}
		if o.verb.hasPlace() {
			o.on = t.number()
		}
		if o.verb == withContext {
			o.how = how(t.name(howNames[:]))
		}
		if numbers := o.numbers(); numbers != nil {
			if o.n = t.number(); !slices.Contains(numbers, o.n) {
				panic(syntax(fmt.Sprintf("%d, want one of %v", o.n, numbers)))
			}
		}
		if o.verb.hasBody() {
			if o.through = t.peek() == "through"; o.through {
				t.at++
			}
			t.want("{")
			o.body, o.end = t.body("}")
			t.want("}")
		}
		ops = append(ops, o)
	}
}
