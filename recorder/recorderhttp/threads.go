package recorderhttp

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/stack"
	"github.com/threadcall/threadcall/thread"
)

// Threads returns a handler that answers GET with a page of all threads and pools that have not
// ended: those whose oldest queued function has waited for longest come first; what runs there,
// since when and where, and who queued it, where that is known; which threads and goroutines wait
// for which; and what happened in the last minute. A thread is stuck if a queued function has
// waited for a second, or if one has run for a second and others are queued or it waits for a lock.
//
// The answer is a page for browsers, JSON with Accept: application/json or ?format=json, and
// otherwise text: curl prints that. With ?format=html it is the page in any case.
//
// Each request stops the program for a moment to take the stacks, for a second if it has 50,000
// goroutines; ?stacks=0 does without. [Metrics] has no stacks. Times of waits are as there. Who
// queued what runs is known for calls, and with thread.WithSlowCall for posts.
func Threads() http.Handler {
	return getOnly(func(w http.ResponseWriter, r *http.Request) (string, []byte) {
		format, accept := r.FormValue("format"), r.Header.Get("Accept")
		switch {
		case format != "":
		case strings.Contains(accept, "text/html"):
			format = "html"
		case strings.Contains(accept, "application/json"):
			format = "json"
		default:
			format = "text"
		}
		f, known := formats[format]
		if !known {
			http.Error(w, "the format is html, json or text", http.StatusBadRequest)
			return "", nil
		}
		var b bytes.Buffer
		if err := f.write(&b, newPage(time.Now(), r.FormValue("stacks") != "0")); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return "", nil
		}
		w.Header().Set("Vary", "Accept")
		return f.contentType + "; charset=utf-8", b.Bytes()
	})
}

// A page is what Threads shows, and its JSON.
type page struct {
	Time    time.Time `json:"time"`
	Program string    `json:"program"`
	PID     int       `json:"pid"`
	Stuck   int       `json:"stuck"` // threads and pools
	Waits   []*edge   `json:"waits"`
	Threads []*row    `json:"threads"`
	Ended   []ended   `json:"ended,omitempty"`
}

// An ended is a name without a thread that functions are still given to.
type ended struct {
	Name    string `json:"name"`
	Refused uint64 `json:"refused"`
}

// An edge is a wait of a thread, or of goroutines that are no threads.
type edge struct {
	From  string   `json:"from"`
	For   string   `json:"for"` // a call, a place in the queue, the end
	To    []string `json:"to"`  // one of these must go on
	Where string   `json:"where,omitempty"`
	Stack string   `json:"stack,omitempty"`

	goroutines int // or 0, for a thread
}

// A row is a thread or a pool.
type row struct {
	ID         uint64     `json:"id"`
	Name       string     `json:"name"`
	Key        string     `json:"key,omitempty"` // of package keyed
	Size       int        `json:"pool,omitempty"`
	Stuck      bool       `json:"stuck,omitempty"`
	Dropped    bool       `json:"dropped,omitempty"` // nothing refers to its Thread
	Unserved   bool       `json:"unserved,omitempty"`
	Queued     int        `json:"queued"`
	Limit      int        `json:"limit,omitempty"`
	Blocked    int        `json:"blocked,omitempty"` // posters that wait for the limit
	OldestWait seconds    `json:"oldest_wait_seconds"`
	Running    seconds    `json:"running_seconds"`
	Last       span       `json:"last"`
	Total      span       `json:"total"`
	Slow       uint64     `json:"slow_calls,omitempty"`
	Panic      *lastPanic `json:"last_panic,omitempty"`
	Median     seconds    `json:"wait_median_seconds,omitempty"`
	P99        seconds    `json:"wait_p99_seconds,omitempty"`
	Works      []work     `json:"threads"`
	Idle       int        `json:"idle"`
}

type span struct {
	Seconds   seconds `json:"seconds,omitempty"` // zero: since the thread was made
	Run       uint64  `json:"run"`
	Refused   uint64  `json:"refused"`
	Withdrawn uint64  `json:"withdrawn"`
	Panicked  uint64  `json:"panicked"`
	Busy      seconds `json:"busy_seconds"`
}

// spanOf returns the counts of a thread since it was made.
func spanOf(s access.State) span {
	n := &s.Stats
	return span{0, n.Returned, n.Refused, n.Withdrawn, n.Panicked, inSeconds(n.Busy)}
}

// since returns the counts since an earlier span of the same thread, d ago.
func (s span) since(before span, d time.Duration) span {
	return span{inSeconds(d), s.Run - before.Run, s.Refused - before.Refused,
		s.Withdrawn - before.Withdrawn, s.Panicked - before.Panicked, s.Busy - before.Busy}
}

// Load returns how much of the time the thread was busy, in percent.
func (s span) Load() int { return int(100*s.Busy/max(s.Seconds, 1e-9) + 0.5) }

type lastPanic struct {
	At   time.Time `json:"at"`
	Text string    `json:"text"`
}

type work struct {
	TID     uint64  `json:"tid,omitempty"`
	Running seconds `json:"running_seconds"`
	Does    string  `json:"does"`
	Stack   string  `json:"stack,omitempty"`
	From    string  `json:"queued_by,omitempty"`
}

type seconds float64

func (s seconds) String() string {
	d := time.Duration(float64(s) * float64(time.Second))
	switch {
	case d >= time.Minute:
		return d.Round(time.Second).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	case d >= time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	}
	return d.Round(10 * time.Nanosecond).String()
}

// stuckAfter is how long a function of a stuck thread has waited, or has run while others wait, or
// until it waits for a lock. The first look knows of no wait how long it is.
const stuckAfter = time.Second

func newPage(now time.Time, stacks bool) *page {
	states, known, byName := look(now)
	var waiters map[uint64][]waiter
	if stacks {
		waiters = addStacks(states)
	}
	p := &page{Time: now, Program: filepath.Base(os.Args[0]), PID: os.Getpid(), Waits: []*edge{}}
	names := map[uint64]string{}
	for _, s := range states {
		names[s.ID] = fmt.Sprintf("%s (%d)", cmp.Or(s.Name, "no name"), s.ID)
	}
	for i, s := range states {
		r := newRow(now, s, known[i], names)
		if r.Stuck {
			p.Stuck++
		}
		p.Threads = append(p.Threads, r)
		p.addWaits(s, names, waiters[s.ID])
	}
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		if n := byName[name]; n.Threads == 0 && n.Refused > 0 {
			p.Ended = append(p.Ended, ended{name, n.Refused})
		}
	}
	slices.SortStableFunc(p.Threads, func(a, b *row) int {
		return cmp.Or(-cmp.Compare(a.urgency(), b.urgency()), -cmp.Compare(a.Running, b.Running),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return p
}

// A waiter is a goroutine that waits for a thread or a pool, and is no thread itself.
type waiter struct {
	number string
	stack  []byte
}

// addStacks adds to states the stacks of their threads, and returns the goroutines that wait for
// each thread and pool, by ID. It stops the program while it takes the stacks of all goroutines.
func addStacks(states []access.State) map[uint64][]waiter {
	stacks, waitedFor := map[string]*[]byte{}, map[string]uint64{}
	for _, s := range states {
		waitedFor[s.At] = s.ID
		for i := range s.Threads {
			t := &s.Threads[i]
			stacks[t.StackID], waitedFor[t.At] = &t.Stack, s.ID
		}
	}
	waiters := map[uint64][]waiter{}
	for number, one := range stack.Goroutines() {
		engine, target := stack.WaitsFor(one)
		if its := cmp.Or(stacks[number], stacks[stack.Loop(one)]); its != nil {
			*its = one
		} else if id := cmp.Or(waitedFor[engine], waitedFor[target]); id != 0 {
			waiters[id] = append(waiters[id], waiter{number, one})
		}
	}
	return waiters
}

// urgency is how long its oldest function has waited: of a stuck row, a second at least.
func (r *row) urgency() seconds {
	if r.Stuck {
		return max(r.OldestWait, inSeconds(stuckAfter))
	}
	return r.OldestWait
}

func newRow(now time.Time, s access.State, x seen, names map[uint64]string) *row {
	r := &row{
		ID: s.ID, Name: s.Name, Dropped: s.Dropped, Queued: s.Stats.Queued, Limit: s.Limit,
		Blocked: s.Blocked, OldestWait: inSeconds(x.oldestWait), Running: inSeconds(s.Stats.Running),
		Slow: s.Stats.Slow, Total: spanOf(s), Panic: (*lastPanic)(s.Panic),
	}
	if keyed, ok := s.User.(interface{ Key() any }); ok {
		r.Key = fmt.Sprint(keyed.Key())
	}
	if b := x.before; b != nil {
		r.Last = r.Total.since(b.span, now.Sub(b.at))
	}
	if h := thread.Histogram(s.Stats.Waits); h.Count > 0 {
		r.Median, r.P99 = inSeconds(h.Quantile(0.5)), inSeconds(h.Quantile(0.99))
	}
	if s.Pool {
		r.Size = len(s.Threads)
	}
	behind, locked := s.Stats.Queued > 0, false
	for _, t := range s.Threads {
		long := t.Running >= stuckAfter
		behind = behind && long
		locked = locked || long && strings.Contains(stateOf(string(t.Stack)), "Mutex.")
		r.Unserved = r.Unserved || !t.Serves && s.Stats.Queued > 0
		text, in := shorten(t.Stack)
		w := work{TID: t.TID, Running: inSeconds(t.Running), Stack: text,
			From: stack.TraceCaller(t.From)}
		switch {
		case t.Waits != "":
			w.Does = "waits for " + t.Waits + " of " + strings.Join(named(t.WaitsFor, names), " or ") +
				" in " + in
		case t.Running > 0:
			w.Does = "runs " + in + stateOf(w.Stack)
		case !t.Serves:
			w.Does = "does not serve, but is in " + in + stateOf(w.Stack)
		case t.Begun: // as far as is known
			w.Does = "is in " + in + stateOf(w.Stack)
		default:
			w.Does, w.Stack = "is idle", ""
			if r.Idle++; s.Pool {
				continue
			}
		}
		r.Works = append(r.Works, w)
	}
	r.Stuck = x.oldestWait >= stuckAfter || behind || locked
	return r
}

func inSeconds(d time.Duration) seconds { return seconds(d.Seconds()) }

func named(ids []uint64, names map[uint64]string) (all []string) {
	for _, id := range ids {
		all = append(all, cmp.Or(names[id], fmt.Sprintf("an ended thread (%d)", id)))
	}
	return all
}

// addWaits adds the waits of the threads of s, and of goroutines for s, one edge for each place.
func (p *page) addWaits(s access.State, names map[uint64]string, waiters []waiter) {
	for _, t := range s.Threads {
		if t.Waits != "" {
			_, in := shorten(t.Stack)
			p.Waits = append(p.Waits, &edge{From: names[s.ID], For: t.Waits, To: named(t.WaitsFor, names),
				Where: in})
		}
	}
	places := map[string]*edge{}
	for _, w := range waiters {
		text, at := shorten(w.stack)
		e := places[at]
		if e == nil {
			e = &edge{From: "goroutine " + w.number, For: "a call", To: []string{names[s.ID]},
				Where: at, Stack: text}
			places[at], p.Waits = e, append(p.Waits, e)
		}
		if e.goroutines++; e.goroutines > 1 {
			e.From = fmt.Sprintf("%d goroutines", e.goroutines)
		}
	}
}

// stateOf returns what a goroutine waits for by its stack, and for how long if that is minutes.
func stateOf(stack string) string {
	header, _, _ := strings.Cut(stack, "\n")
	_, state, _ := strings.Cut(header, "[")
	state, _, _ = strings.Cut(state, "]")
	state = strings.TrimSuffix(state, ", locked to thread")
	if state == "" || state == "running" {
		return ""
	}
	return ": " + state
}

// shorten returns a stack without this library's functions inside and outside of the user's, and
// where it is.
func shorten(text []byte) (short, in string) {
	if len(text) == 0 {
		return "", "an unknown function"
	}
	header, frames, _ := strings.Cut(string(text), "\n")
	lines := strings.Split(frames, "\n")
	begin, end := 0, 0
	// whether there are not only functions of the runtime, in which this library's wait, too
	users := false
	for i := 0; i+1 < len(lines); i += 2 { // a function and its file
		if !stack.Ours(strings.TrimPrefix(lines[i], "created by ")) {
			end, users = i+2, users || !strings.HasPrefix(lines[i], "runtime.")
		} else if !users {
			begin, end = i+2, 0
		} else {
			break
		}
	}
	lines = lines[begin:max(begin, end)]
	return strings.Join(append([]string{header}, lines...), "\n"), where(lines)
}

// where returns the innermost function of a stack that is not of the runtime, or the one that has
// started its goroutine: a go statement with a call of this library has no other.
func where(lines []string) string {
	for i := 0; i+1 < len(lines); i++ { // the last is a file
		f := lines[i]
		if slices.ContainsFunc(skipped, func(p string) bool { return strings.HasPrefix(f, p) }) {
			continue
		}
		file, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		f, started := strings.CutPrefix(f, "created by ")
		f, _, _ = strings.Cut(f, " in goroutine ")
		if j := strings.LastIndex(f, "("); j > 0 && !started {
			f = f[:j]
		}
		f = path.Base(f) // without the path of its package
		if started {
			f = "a go statement of " + f
		}
		return f + " (" + filepath.Base(file) + ")"
	}
	return "no function of the program"
}

// skipped is how lines begin that are a file, or a function of the runtime or of what waits in it.
var skipped = []string{"\t", "runtime.", "sync.", "internal/", "time.", "syscall."}
