package read

import (
	"cmp"
	"slices"
	"strings"
	"time"

	xtrace "golang.org/x/exp/trace"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// In traces, a call of threadcall is a task whose type begins with taskPrefix. The caller begins it and ends it, but the
// thread ends it if the caller does not wait. The function is a region of the task, on the thread. A function that
// is called on the thread itself is a region without a task, or of a task that the same goroutine began.
const (
	taskPrefix = "threadcall."
	regionType = "threadcall"
	posted     = "Go" // the kind without a wait, which is queued also if the thread itself calls
)

// calls joins the parts of each call. They come in any order, because the clocks of two cores can differ.
type calls struct {
	*analysis
	pending map[xtrace.TaskID]*call

	total, inPlace, unfinished, notRun uint64
	places                             map[placeKey]*place
	placeOf                            map[stackKey]*place
	worst                              report.Top[report.Call]
	slow                               []slow // the last
}

// A call is one whose end has not been seen.
type call struct {
	kind                       string
	begun, ended, running, ran bool
	at, end, from, to          time.Duration // of the task, of the function
	caller, runner             xtrace.GoID
	thread                     int32
	stack, on                  stackID
	stopped                    report.Wait
}

// A visit is a function of a call that a goroutine runs.
type visit struct {
	task      xtrace.TaskID
	from      time.Duration
	stack     stackID
	leftAt    time.Duration // if stopped
	stopped   bool
	left      xtrace.Stack
	reason    string
	longest   report.Wait
	longestAt xtrace.Stack
}

type placeKey struct {
	report.Frame
	kind string
}

type stackKey struct {
	stack stackID
	kind  string
}

type place struct {
	key               placeKey
	queued, run, back report.Histogram
	threads           []int64
}

func (c *calls) init(a *analysis) {
	c.analysis = a
	c.pending = map[xtrace.TaskID]*call{}
	c.places = map[placeKey]*place{}
	c.placeOf = map[stackKey]*place{}
	c.worst = report.NewTop(report.Shown, func(a, b report.Call) bool { return a.Total() > b.Total() })
}

// of returns the call of a task.
func (c *calls) of(task xtrace.TaskID) *call {
	p := c.pending[task]
	if p == nil {
		p = &call{}
		c.pending[task] = p
	}
	return p
}

func (c *calls) taskBegin(ev *xtrace.Event) {
	t := ev.Task()
	kind, ok := strings.CutPrefix(t.Type, taskPrefix)
	if !ok {
		return
	}
	p := c.of(t.ID)
	p.begun, p.kind, p.at = true, c.stacks.own(kind), c.now
	p.caller, p.stack = ev.Goroutine(), c.stacks.id(ev.Stack())
}

func (c *calls) taskEnd(ev *xtrace.Event) {
	id := ev.Task().ID
	if p := c.pending[id]; p != nil {
		p.ended, p.end = true, c.now
		c.check(id, p)
	}
}

func (c *calls) regionBegin(ev *xtrace.Event) {
	r := ev.Region()
	g := c.sched.existing[ev.Goroutine()]
	if r.Type != regionType || g == nil {
		return
	}
	v := &visit{task: r.Task, from: c.now, stack: c.stacks.id(ev.Stack())}
	g.visits = append(g.visits, v)
	if r.Task != xtrace.BackgroundTask {
		p := c.of(r.Task)
		p.running, p.from, p.runner, p.thread = true, c.now, g.id, g.thread
	}
}

func (c *calls) regionEnd(ev *xtrace.Event) {
	r := ev.Region()
	g := c.sched.existing[ev.Goroutine()]
	if r.Type != regionType || g == nil {
		return
	}
	i := len(g.visits) - 1
	for i >= 0 && g.visits[i].task != r.Task {
		i--
	}
	if i < 0 { // it began before the trace
		c.unfinished++
		return
	}
	v := g.visits[i]
	g.visits = g.visits[:i] // also those within it, whose ends are missing
	length := time.Duration(0)
	if i == 0 {
		length = c.now - v.from
	}
	c.sched.workers.served(g, length)

	var p *call
	if r.Task == xtrace.BackgroundTask {
		p = &call{kind: "in place", begun: true, ended: true, running: true, at: v.from, from: v.from, end: c.now,
			caller: g.id, runner: g.id, thread: g.thread, stack: v.stack}
	} else {
		p = c.of(r.Task)
	}
	p.ran, p.to, p.on = true, c.now, v.stack
	if v.longest.N > 0 {
		p.stopped, p.on = v.longest, c.stacks.id(v.longestAt)
	}
	c.check(r.Task, p)
}

// stop records that g stops within the functions that it runs.
func (c *calls) stop(g *goroutine, where xtrace.Stack) {
	if n := len(g.visits); n > 0 {
		v := g.visits[n-1]
		v.stopped, v.leftAt, v.left, v.reason = true, c.now, where, g.reason
	}
}

// resume records that g continues.
func (c *calls) resume(g *goroutine) {
	n := len(g.visits)
	if n == 0 || !g.visits[n-1].stopped {
		return
	}
	v := g.visits[n-1]
	v.stopped = false
	if length := c.now - v.leftAt; length > v.longest.Time {
		v.longest, v.longestAt = report.Wait{Reason: v.reason, N: 1, Time: length}, v.left
	}
}

// check counts a call if all its parts are known.
func (c *calls) check(id xtrace.TaskID, p *call) {
	switch {
	case p.begun && p.ended && p.ran:
		c.count(p)
	case p.ended && p.begun && !p.running:
		c.notRun++
	case p.ended && p.ran:
		c.unfinished++
	default:
		return
	}
	if c.pending[id] == p {
		delete(c.pending, id)
	}
}

func (c *calls) count(p *call) {
	c.total++
	if p.caller == p.runner && p.kind != posted {
		c.inPlace++
	}
	r := report.Call{
		Kind: p.kind, At: p.at, Goroutine: int64(p.caller), Thread: c.threadID(p.thread),
		Queued: max(0, p.from-p.at), Run: p.to - p.from, Return: max(0, p.end-p.to),
	}
	at := c.place(p)
	at.queued.Add(uint64(r.Queued))
	at.run.Add(uint64(r.Run))
	at.back.Add(uint64(r.Return))
	if len(at.threads) < maxThreads && !slices.Contains(at.threads, r.Thread) {
		at.threads = append(at.threads, r.Thread)
	}
	if c.worst.Wants(r) {
		r.From, r.On = c.stacks.get(p.stack), c.stacks.get(p.on)
		if p.stopped.N > 0 {
			stopped := p.stopped
			r.Stopped = &stopped
		}
		c.worst.Offer(r)
	}
}

// maxThreads limits the threads, maxPlaces the places in a report.
const (
	maxThreads = 8
	maxPlaces  = 500
)

func (c *calls) threadID(n int32) int64 {
	if n < 0 {
		return -1
	}
	return int64(c.sched.workers.list[n].id)
}

func (c *calls) place(p *call) *place {
	key := stackKey{p.stack, p.kind}
	at := c.placeOf[key]
	if at == nil {
		where := placeKey{c.stacks.place(p.stack), p.kind}
		if at = c.places[where]; at == nil {
			at = &place{key: where}
			c.places[where] = at
		}
		c.placeOf[key] = at
	}
	return at
}

func (c *calls) report() report.Calls {
	r := report.Calls{
		Total: c.total, InPlace: c.inPlace, Unfinished: c.unfinished + uint64(len(c.pending)), NotRun: c.notRun,
		Places: []report.Place{}, Worst: c.worst.Kept, Slow: []report.SlowCall{},
	}
	for _, s := range c.slow {
		s.From, s.On = c.stacks.get(s.from), c.stacks.get(s.on)
		r.Slow = append(r.Slow, s.SlowCall)
	}
	for _, p := range c.places {
		slices.Sort(p.threads)
		r.Places = append(r.Places, report.Place{
			Frame: p.key.Frame, Kind: p.key.kind, N: p.run.N(), Queued: p.queued.Distribution(), Run: p.run.Distribution(),
			Return: p.back.Distribution(), Threads: p.threads,
		})
	}
	slices.SortFunc(r.Places, func(a, b report.Place) int {
		return cmp.Or(cmp.Compare(b.Queued.Sum+b.Run.Sum, a.Queued.Sum+a.Run.Sum), cmp.Compare(a.Func, b.Func),
			cmp.Compare(a.Line, b.Line), cmp.Compare(a.Kind, b.Kind))
	})
	r.Places = r.Places[:min(len(r.Places), maxPlaces)]
	return r
}
