package recorderhttp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/stack"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/recorder/recorderhttp"
	"github.com/threadcall/threadcall/thread"
)

var quiet = thread.WithPanicHandler(func(*thread.PanicError) {})

func get(method, query string, accept ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, "/debug/threads"+query, nil)
	r.Header["Accept"] = accept
	recorderhttp.Threads().ServeHTTP(w, r)
	return w
}

func ExampleThreads() {
	http.Handle("/metrics", recorderhttp.Metrics())
	http.Handle("/debug/threads", recorderhttp.Threads()) // curl localhost/debug/threads
	http.Handle("/debug/trace", recorderhttp.Trace())
}

// A page is what of the JSON the tests look at.
type page struct {
	Stuck int
	Waits []struct {
		From, For, Where string
		To               []string
	}
	Threads []*row
	Ended   []ended
}

type ended struct {
	Name    string
	Refused int
}

type row struct {
	ID                       uint64
	Name, Key                string
	Stuck, Dropped, Unserved bool
	Queued, Limit, Pool      int
	Wait                     float64 `json:"oldest_wait_seconds"`
	Last, Total              struct {
		Seconds                           float64
		Run, Refused, Withdrawn, Panicked int
	}
	Panic   struct{ Text string } `json:"last_panic"`
	Threads []struct {
		TID         uint64
		Does, Stack string
		From        string `json:"queued_by"`
	}
}

func look(t *testing.T) (p page) {
	t.Helper()
	w := get("GET", "", "application/json")
	if err := json.Unmarshal(w.Body.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// of returns the row of a name.
func (p page) of(name string) *row {
	for _, r := range p.Threads {
		if r.Name == name {
			return r
		}
	}
	return &row{}
}

//go:noinline
func compute(begun, release chan bool) { begun <- true; <-release }

//go:noinline
func queueCompute(th *thread.Thread, begun, release chan bool) {
	th.Go(func() { compute(begun, release) })
}

//go:noinline
func waitFor(th *thread.Thread) { th.Call(func() {}) }

func TestThreads_showsWhatEachThreadDoes(t *testing.T) {
	name := `render "<b>` + "\n"
	th := thread.New(thread.WithName(name), thread.WithQueueLimit(5),
		thread.WithSlowCall(time.Hour, func(thread.SlowCall) {}))
	defer th.Terminate()
	other, p := thread.New(thread.WithName("other")), thread.NewPool(2, thread.WithName("workers"))
	defer other.Terminate()
	defer p.Terminate()
	dead := thread.New(thread.WithName("dead"))
	dead.Close()
	dead.Go(func() {})
	begun, release := make(chan bool), make(chan bool)
	defer close(release)
	p.Call(func() {})
	queueCompute(th, begun, release)
	testutil.Arrives(t, begun)
	p.Go(func() { compute(begun, release) })
	testutil.Arrives(t, begun)
	th.Go(func() {})
	other.Go(func() { waitFor(th) })
	for range 2 {
		go waitFor(th)
	}
	testutil.Eventually(t, func() bool { return look(t).of(name).Queued == 4 }, "the calls wait")
	testutil.Eventually(t, func() bool { return look(t).Threads[0].Wait > 1 }, "it counts as stuck")
	page := look(t)
	r := page.of(name)
	if page.Stuck != 1 || page.Threads[0] != r || !r.Stuck || r.ID != th.ID() || r.Limit != 5 {
		t.Errorf("%d are stuck; the row of one is %+v", page.Stuck, r)
	}
	if w := r.Threads[0]; w.TID == 0 && runtime.GOOS == "linux" ||
		!strings.Contains(w.Does, "runs recorderhttp_test.compute (threads_test.go:") ||
		!strings.Contains(w.Stack, ".compute(") || strings.Contains(w.Stack, "internal/engine") ||
		!strings.Contains(w.From, ".queueCompute(") {
		t.Errorf("the thread is shown as %+v", w)
	}
	of := fmt.Sprintf("%s (%d)", name, th.ID())
	var waits []string
	for _, e := range page.Waits {
		if !strings.HasPrefix(e.Where, "recorderhttp_test.waitFor (") {
			t.Errorf("%s waits in %s", e.From, e.Where)
		}
		waits = append(waits, e.From+" waits for "+e.For+" of "+strings.Join(e.To, ","))
	}
	if want := []string{"2 goroutines waits for a call of " + of,
		fmt.Sprintf("other (%d) waits for a call of %s", other.ID(), of)}; !slices.Equal(waits, want) {
		t.Errorf("%q, want %q", waits, want)
	}
	if w := page.of("other").Threads[0]; !strings.Contains(w.Does, "waits for a call of "+of) {
		t.Errorf("the other thread %s", w.Does)
	}
	if r := page.of("workers"); r.Pool != 2 || len(r.Threads) != 1 {
		t.Errorf("the pool is shown as %+v", r)
	}
	if i := slices.IndexFunc(page.Ended, func(e ended) bool { return e.Name == "dead" }); i < 0 ||
		page.Ended[i].Refused < 1 {
		t.Errorf("what has ended and refuses functions: %v", page.Ended)
	}

	html := get("GET", "", "text/html,*/*;q=0.8").Body.String()
	for _, want := range []string{"render &#34;&lt;b&gt;", "queue limit 5", "pool of 2, 1 idle",
		"<h1 class=\"bad\">1 of ", "prefers-color-scheme: dark", "<time>20"} {
		if !strings.Contains(html, want) {
			t.Errorf("no %q in\n%s", want, html)
		}
	}
	if strings.Contains(html, "<script") || strings.Contains(html, "<b>\n\\") {
		t.Errorf("scripts, or what is not escaped, in\n%s", html)
	}
	text := get("GET", "", "*/*").Body.String()
	if !strings.Contains(text, "\nSTUCK render") || !strings.Contains(text, "Who waits for whom") {
		t.Errorf("the text is\n%s", text)
	}
}

// The first look knows of no wait how long it is, but for how long the thread has run a function.
// What waits by a go statement has no function of the program in its stack.
func TestThreads_findsAtTheFirstLookWhatIsStuck(t *testing.T) {
	th := thread.New(thread.WithName("first look"))
	defer th.Terminate()
	begun, release := make(chan bool), make(chan bool)
	defer close(release)
	th.Go(func() { compute(begun, release) })
	testutil.Arrives(t, begun)
	testutil.Eventually(t, func() bool { return th.Stats().Running > time.Second }, "it hangs")
	if look(t).of("first look").Stuck {
		t.Error("a thread without a queue is stuck")
	}
	go th.Call(func() {})
	testutil.Eventually(t, func() bool { // when it is queued, its stack may not say yet that it waits
		for _, one := range stack.Goroutines() {
			if of, _ := stack.WaitsFor(one); of != "" {
				return true
			}
		}
		return false
	}, "the call waits")
	page := look(t)
	if r := page.Threads[0]; r.Name != "first look" || !r.Stuck || r.Wait > 0 || page.Stuck != 1 {
		t.Errorf("%d are stuck; the first row is %+v", page.Stuck, r)
	}
	const want = "a go statement of recorderhttp_test.TestThreads_findsAtTheFirstLookWhatIsStuck (t"
	if w := page.Waits; len(w) != 1 || !strings.HasPrefix(w[0].Where, want) {
		t.Errorf("the waits are %+v, want one in %s", w, want)
	}
}

// A function that waits for a lock for long deadlocks, as a rule, also if nothing is queued.
func TestThreads_findsADeadlockByLocks(t *testing.T) {
	var mu sync.Mutex
	th, other := thread.New(thread.WithName("locks")), thread.New(thread.WithName("holds"))
	defer other.Close()
	defer th.Close()
	mu.Lock()
	other.Go(func() { th.Call(mu.Lock) })
	defer mu.Unlock()
	testutil.Eventually(t, func() bool { return th.Stats().Running > time.Second }, "it waits")
	page := look(t)
	if r := page.Threads[0]; r.Name != "locks" || !r.Stuck || page.Stuck != 1 {
		t.Errorf("%d are stuck; the first row is %+v", page.Stuck, r)
	}
}

// The stacks of many goroutines are taken in several passes, and each is counted once.
func TestThreads_countsEachGoroutineOnce(t *testing.T) {
	th := thread.New(thread.WithName("many"))
	defer th.Close()
	busy := testutil.Occupy(t, th.Go)
	defer busy.Open()
	const n = 300
	for range n {
		go waitFor(th)
	}
	testutil.Eventually(t, func() bool { return th.Stats().Queued == n }, "the calls wait")
	testutil.Eventually(t, func() bool { // a goroutine that does not wait yet may have no stack
		w := look(t).Waits
		return len(w) == 1 && w[0].From == fmt.Sprintf("%d goroutines", n)
	}, "each is counted once")
}

// A loop that calls Serve may be in a native loop inside a function: then it is not known whether
// that runs, but where it is.
func TestThreads_showsWhereALoopIs(t *testing.T) {
	begun, release, ended := make(chan bool), make(chan bool), make(chan bool)
	go func() {
		defer close(ended)
		l := thread.Adopt(thread.WithName("serves"))
		defer l.Close()
		l.OnWake(func() {})
		l.Thread().Go(func() { compute(begun, release) })
		l.Serve(0)
	}()
	testutil.Arrives(t, begun)
	r := look(t).of("serves")
	close(release)
	testutil.Arrives(t, ended)
	const want = "is in recorderhttp_test.compute (threads_test.go:"
	if len(r.Threads) != 1 || !strings.HasPrefix(r.Threads[0].Does, want) {
		t.Errorf("the loop is shown as %+v, want %q", r.Threads, want)
	}
}

// What has happened in the last minute, and the last panic, of which only the beginning is kept.
func TestThreads_showsTheLastMinute(t *testing.T) {
	th := thread.New(thread.WithName("minute"))
	defer th.Close()
	th.Call(func() {})
	look(t)
	th.Go(func() { panic("broken " + strings.Repeat("pipe ", 300)) })
	th.Call(func() {})
	th.Call(func() {})
	ended, end := context.WithCancel(t.Context())
	end()
	_ = th.CallContext(ended, func() {})
	r := look(t).of("minute")
	if l := r.Last; l.Seconds <= 0 || l.Run != 2 || l.Panicked != 1 || l.Withdrawn != 1 ||
		r.Total.Run != 3 {
		t.Errorf("last %+v, in all %+v", l, r.Total)
	}
	if text := r.Panic.Text; !strings.HasPrefix(text, "broken pipe") || len(text) > 1100 {
		t.Errorf("the last panic is %q", text)
	}
}

// A thread whose handle was dropped while a function hangs is marked, and one of package keyed
// shows its key.
func TestThreads_marksThreads(t *testing.T) {
	begun, release := make(chan bool), make(chan bool)
	defer close(release)
	func() {
		th := thread.New(thread.WithName("dropped"))
		th.Go(func() { compute(begun, release) })
	}()
	testutil.Arrives(t, begun)
	testutil.Eventually(t, func() bool { runtime.GC(); return look(t).of("dropped").Dropped },
		"it is marked")
	k := keyed.New[string](nil, nil, keyed.WithThreadOptions(thread.WithName("namespaces")))
	defer k.Close()
	_ = k.Call(t.Context(), "blue", func() error { return nil })
	if r := look(t).of("namespaces"); r.Key != "blue" || r.Dropped {
		t.Errorf("a thread of package keyed is shown as %+v", r)
	}
	later := thread.NewLoop(thread.WithName("later")).Thread()
	defer later.Terminate()
	later.Go(func() {})
	if r := look(t).of("later"); !r.Unserved {
		t.Errorf("a thread that nothing serves is shown as %+v", r)
	}
}

func TestThreads_answersAsAsked(t *testing.T) {
	for _, c := range []struct {
		method, query, accept string
		code                  int
		kind                  string
	}{
		{"GET", "", "", 200, "text/plain"}, {"GET", "", "*/*", 200, "text/plain"},
		{"GET", "", "text/html", 200, "text/html"}, {"HEAD", "?format=html", "", 200, "text/html"},
		{"GET", "?format=json", "text/html", 200, "application/json"},
		{"GET", "?format=text", "text/html", 200, "text/plain"},
		{"GET", "?format=xml", "", 400, "text/plain"}, {"POST", "", "", 405, "text/plain"},
	} {
		w := get(c.method, c.query, c.accept)
		if kind := w.Header().Get("Content-Type"); w.Code != c.code ||
			!strings.HasPrefix(kind, c.kind) || (w.Body.Len() == 0) != (c.method == "HEAD") {
			t.Errorf("%v: status %d, %s, %d bytes", c, w.Code, kind, w.Body.Len())
		}
	}
}
