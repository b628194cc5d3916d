package oracle

import "fmt"

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
	hosted  // adopted by a goroutine that waits for OnWake's function and calls Serve, or calls Wait
	serving // adopted by a goroutine that calls ServeContext
	main    // the main thread
	// the thread of a key; all keys are those of one keyed.Threads, which has half as many slots
	byKey
	kinds
)

var kindNames = [kinds]string{"own", "limited", "pool1", "pool2", "pool3", "hosted", "serving",
	"main", "keyed"}

// runs reports whether k is a thread that takes posts and serves.
func (k kind) runs() bool { return !k.pool() && k != byKey }

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
	call verb = iota
	eval
	withContext
	postContext
	try
	post
	coalesced
	coroutine
	generator
	startPool
	flood
	forget
	terminate
	readError
	on
	serve
	serveFor
	onWakeOp
	poll
	dialog
	suspend
	unlock
	collect
	procs
	yield
	sleep
	verbs
)

// The operations. Numbers are few, so that a byte changed at random means another one that makes
// sense.
var verbTable = [verbs]struct {
	name    string
	place   bool  // it names a place
	body    bool  // it takes a function
	weight  int   // how often it is chosen, for 1
	rare    int   // the percentage of programs that go without
	numbers []int // one of which it has
	// The rest has no meaning, or is what no library could keep from deadlocking. k is the kind of
	// the place, here that of the thread that it is made on.
	legal func(k, here kind, s spot) bool
}{
	call:        {name: "call", place: true, body: true, weight: 4},
	eval:        {name: "eval", place: true, body: true, weight: 4},
	withContext: {name: "context", place: true, body: true, weight: 4},   // CallContext
	postContext: {name: "gocontext", place: true, body: true, weight: 3}, // GoContext
	try:         {name: "trygo", place: true, body: true},
	post:        {name: "go", place: true, body: true, weight: 4},
	// a post of the place's Coalesce1
	coalesced: {name: "coalesced", place: true, body: true, weight: 2, legal: onThread},
	// iter.Pull, resumed where it was made until it ends, or after each operation that follows
	coroutine: {name: "coroutine", body: true, weight: 2},
	generator: {name: "generator", body: true, weight: 2},
	flood:     {name: "flood", place: true, numbers: []int{30, 1000}}, // Go of many small functions
	// the body is the start function of the last thread, for which the others wait
	startPool: {name: "startpool", body: true, rare: 80, numbers: []int{1, 3}},
	forget:    {name: "forget", place: true}, // of the key
	terminate: {name: "terminate", place: true, rare: 60, legal: notMain},
	readError: {name: "error", place: true}, // takes a panic that the handler was given
	on:        {name: "on", place: true, legal: onThread},
	// inside a function of a loop: ServeContext until a function that it has posted has run, Serve
	// with a limit or none, OnWake
	serve:    {name: "serve", weight: 2, legal: inLoop},
	serveFor: {name: "servefor", legal: inLoop, numbers: micros},
	onWakeOp: {name: "onwake", legal: inAdopted},
	// inside a function: it takes an event of the thread's event loop, if there is one; or has an
	// event loop of its own, until a function that it has posted has run
	poll:   {name: "poll", weight: 2, legal: inEventLoop},
	dialog: {name: "dialog", legal: inEventLoop},
	// in a coroutine: it waits until it is resumed
	suspend: {name: "suspend", weight: 2},
	unlock:  {name: "unlock", rare: 50, legal: offCoroutine}, // UnlockOSThread, once too often
	collect: {name: "gc"},
	procs:   {name: "procs", numbers: []int{1, 2, 3, 4}}, // GOMAXPROCS
	yield:   {name: "yield", weight: 2},                  // Gosched
	sleep:   {name: "sleep", weight: 2, numbers: micros},
}

var micros = []int{0, 1, 5, 20, 50, 100, 300, 2000}

func onThread(k, _ kind, _ spot) bool       { return !k.pool() }
func notMain(k, _ kind, _ spot) bool        { return k != main }
func inEventLoop(_, here kind, s spot) bool { return s.here != nowhere && here == hosted }
func inAdopted(_, here kind, s spot) bool {
	return s.here != nowhere && (here == hosted || here == serving)
}
func inLoop(k, here kind, s spot) bool {
	return inAdopted(k, here, s) || s.here != nowhere && here == main
}

func offCoroutine(_, _ kind, s spot) bool { return s.here != nowhere && !s.coroutine }

func (v verb) hasPlace() bool { return verbTable[v].place }
func (v verb) hasBody() bool  { return verbTable[v].body }

// posts reports whether nothing waits for the function.
func (v verb) posts() bool { return v == post || v == postContext || v == try || v == coalesced }

// hasHow reports whether there is a context.
func (v verb) hasHow() bool { return v == withContext || v == postContext }

// mayVanish reports whether a function that was taken on need not run.
func (o *op) mayVanish() bool {
	return o.verb == postContext && o.how != open || o.verb == coalesced
}

// pulls reports whether the body is that of a coroutine.
func (v verb) pulls() bool { return v == coroutine || v == generator }

// queues reports whether the function travels to a place, or runs there if the caller is there
// already.
func (v verb) queues() bool { return v <= post }

// how says what becomes of the context of a call.
type how uint8

const (
	open    how = iota // it is never done
	done               // it is before the call
	timeout            // it times out, perhaps before the function begins
	cancel             // it is cancelled, perhaps before the function begins
	// it is cancelled by a function that the caller posts to the same place before the call, and that
	// does not run before a call made on the thread itself
	ahead
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

func (o *op) numbers() []int {
	if o.how.timed() {
		return micros
	}
	return verbTable[o.verb].numbers
}

// A spot is where an operation is made.
type spot struct {
	here      int // the place, or nowhere for a goroutine of the program itself
	coroutine bool
}

const nowhere = -1

// inside is the spot of the body of o.
func (s spot) inside(o *op) spot {
	switch {
	case o.verb.pulls():
		s.coroutine = true
		return s
	case o.verb == startPool:
		return spot{here: nowhere}
	}
	return spot{here: o.on}
}

// legal reports whether an operation may be made at a spot.
func (p *program) legal(o *op, s spot) bool {
	var k, here kind
	if o.verb.hasPlace() {
		if o.on < 0 || o.on >= len(p.places) {
			return false
		}
		k = p.places[o.on]
		takes := o.verb == call || o.verb == withContext || o.verb == forget
		if k == byKey && !takes || k != byKey && o.verb == forget {
			return false
		}
	}
	if s.here != nowhere {
		here = p.places[s.here]
	}
	// a pool keeps no order; a key takes no posts
	if o.how == ahead && !k.runs() {
		return false
	}
	legal := verbTable[o.verb].legal
	return legal == nil || legal(k, here, s)
}

// inPlace reports whether a call is made on the thread that it is to. A key may have another one by
// then.
func (p *program) inPlace(o *op, s spot) bool { return s.here == o.on && p.places[o.on] != byKey }

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

// check numbers the operations, and panics if p is illegal.
func (p *program) check() {
	p.renumber()
	mains := 0
	for _, k := range p.places {
		if k == main {
			mains++
		}
	}
	if len(p.places) == 0 || mains > 1 {
		panic(fmt.Sprintf("%d places, %d of them the main thread", len(p.places), mains))
	}
	p.visit(func(o *op, s spot) {
		if !p.legal(o, s) {
			panic(fmt.Sprintf("operation %d (%v) is not possible there", o.number, o))
		}
	})
}

// has reports whether there is such an operation.
func (p *program) has(such func(o *op) bool) (found bool) {
	p.visit(func(o *op, _ spot) { found = found || such(o) })
	return found
}
