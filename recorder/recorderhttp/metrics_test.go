package recorderhttp_test

import (
	"fmt"
	"net/http/httptest"
	"regexp"
	rtmetrics "runtime/metrics"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/recorder/recorderhttp"
	"github.com/threadcall/threadcall/thread"
)

func metrics() string {
	var b strings.Builder
	recorderhttp.WriteMetrics(&b)
	return b.String()
}

// The documented metrics, and their types.
var types = map[string]string{
	"threads": "gauge", "queue_length": "gauge", "oldest_wait_seconds": "gauge",
	"running_seconds": "gauge", "busy_seconds_total": "counter", "functions_total": "counter",
	"wait_seconds": "histogram", "run_seconds": "histogram", "slow_calls_total": "counter",
}

// parse returns the values of a text in Prometheus' format by name and labels without quotes, as
// "threads ui", and fails the test if anything is not as the format says.
func parse(t *testing.T, text string) map[string]float64 {
	t.Helper()
	const label = `thread="((?:[^"\\\n]|\\["\\n])*)"` +
		`(?:,(?:result="(run|refused|withdrawn|panicked)"|le="([0-9.e+-]+|\+Inf)"))?`
	line := regexp.MustCompile(`^threadcall_([a-z_]+)\{` + label + `\} (\+?[0-9.e+-]+)$`)
	help := regexp.MustCompile(`^# HELP threadcall_([a-z_]+) [^\n]+\.$`)
	kind := regexp.MustCompile(`^# TYPE threadcall_([a-z_]+) ([a-z]+)$`)
	values, seen, family, helped := map[string]float64{}, map[string]bool{}, "", ""
	var cumulative float64
	if !strings.HasSuffix(text, "\n") {
		t.Error("the last line does not end")
	}
	for _, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if m := help.FindStringSubmatch(l); m != nil {
			helped = m[1]
			continue
		}
		if m := kind.FindStringSubmatch(l); m != nil {
			if family = m[1]; seen[family] || helped != family || types[family] != m[2] {
				t.Errorf("%q: again, without HELP before it, or of another type", l)
			}
			seen[family] = true
			continue
		}
		m := line.FindStringSubmatch(l)
		if m == nil {
			t.Errorf("not of the format: %q", l)
			continue
		}
		name, suffix := strings.CutPrefix(m[1], family)
		histogram := types[family] == "histogram"
		if !suffix || histogram != (name != "") || (name == "_bucket") != (m[4] != "") ||
			name != "" && name != "_bucket" && name != "_sum" && name != "_count" {
			t.Errorf("%q below TYPE %s", l, family)
		}
		value, err := strconv.ParseFloat(m[5], 64)
		key := strings.TrimSpace(m[1] + " " + m[2] + " " + m[3] + m[4])
		if _, twice := values[key]; twice || err != nil || value < 0 {
			t.Errorf("twice, negative, or %v: %q", err, l)
		}
		if name == "_bucket" {
			if m[4] != "1e-05" && value < cumulative {
				t.Errorf("a bucket has less than the one before: %q", l)
			}
			cumulative = value
		}
		if name == "_count" && value != cumulative {
			t.Errorf("%q, and the last bucket has %v", l, cumulative)
		}
		values[key] = value
	}
	for family := range types {
		if !seen[family] && types[family] != "histogram" {
			t.Errorf("no %s", family)
		}
	}
	return values
}

func ExampleWriteMetrics() {
	t := thread.New(thread.WithName("gl"))
	defer t.Close()
	t.Call(func() {})

	var text strings.Builder
	recorderhttp.WriteMetrics(&text)
	for line := range strings.Lines(text.String()) {
		if strings.HasPrefix(line, `threadcall_threads{thread="gl"}`) {
			fmt.Print(line)
		}
	}
	// Output: threadcall_threads{thread="gl"} 1
}

var runs int // of a test, which are counted under its names

// Threads of one name are one series, a name may be any text, and what has ended still counts.
func TestMetrics_addUpThreadsOfOneName(t *testing.T) {
	runs++
	name := fmt.Sprint(runs, " of \"one\\name\"\n\xff")
	key := fmt.Sprint(runs, ` of \"one\\name\"\n`, "\uFFFD")
	opts := []thread.Option{thread.WithName(name), thread.WithTimes(), quiet}
	a, b, p := thread.New(opts...), thread.New(opts...), thread.NewPool(2, opts...)
	for _, th := range []interface {
		Call(func()) bool
		Go(func()) bool
		Stats() thread.Stats
	}{a, b, p} {
		th.Go(func() { panic("x") }) // in a pool, it may end after the call
		th.Call(func() {})
		testutil.Eventually(t, func() bool { return th.Stats().Runs.Count == 2 }, "both have run")
	}
	busy := testutil.Occupy(t, b.Go)
	defer busy.Open()
	b.Go(func() {})
	check := func(threads, refused float64) {
		t.Helper()
		text := metrics()
		values := parse(t, text)
		for metric, want := range map[string]float64{
			"threads " + key: threads, "queue_length " + key: 1,
			"functions_total " + key + " run": 3, "functions_total " + key + " panicked": 3,
			"functions_total " + key + " refused": refused, "functions_total " + key + " withdrawn": 0,
			"wait_seconds_count " + key: 7, "run_seconds_count " + key: 6,
			"slow_calls_total " + key: 0,
		} {
			if got, ok := values[metric]; !ok || got != want {
				t.Errorf("%s is %v, %v, want %v", metric, got, ok, want)
			}
		}
		if values["running_seconds "+key] <= 0 || values["busy_seconds_total "+key] <= 0 {
			t.Errorf("running and busy are %v and %v", values["running_seconds "+key],
				values["busy_seconds_total "+key])
		}
		if t.Failed() {
			t.Fatal(text)
		}
	}
	t.Cleanup(func() { b.Terminate(); p.Terminate() })
	check(4, 0)
	a.Close()
	check(3, 0)
	a.Go(func() {})
	check(3, 1)
	busy.Open()

	untimed := thread.New(thread.WithName("untimed"))
	untimed.Call(func() {})
	untimed.Close()
	values := parse(t, metrics())
	if _, ok := values["wait_seconds_count untimed"]; ok {
		t.Error("times of a thread without WithTimes")
	}
	if n, ok := values["threads untimed"]; n != 0 || !ok {
		t.Errorf("%v threads have the name of one that has ended", n)
	}
}

// A hang that began before the first request is seen by the first two, and so are queues that only
// grow and calls to a thread that nothing serves.
func TestMetrics_showAHangThatBeganBefore(t *testing.T) {
	hung, flooded := thread.New(thread.WithName("hung")), thread.New(thread.WithName("flooded"))
	idle := thread.New(thread.WithName("idle"))
	defer idle.Close()
	defer flooded.Terminate()
	later := thread.NewLoop(thread.WithName("later")).Thread()
	defer later.Terminate()
	later.Go(func() {})
	idle.Call(func() {})
	begun, release := make(chan bool), make(chan bool)
	hung.Go(func() { begun <- true; <-release })
	testutil.Arrives(t, begun)
	hung.Go(func() {})
	turn := make(chan bool)
	for range 100 {
		flooded.Go(func() { <-turn })
	}
	const looks = 100 * time.Millisecond
	time.Sleep(looks)
	first := parse(t, metrics())
	if s := first["running_seconds hung"]; s < looks.Seconds() {
		t.Errorf("at first, what has hung for %v runs for %v s", looks, s)
	}
	for range 10 {
		turn <- true
	}
	time.Sleep(looks)
	second := parse(t, metrics())
	for _, name := range []string{"hung", "flooded", "later"} {
		if s := second["oldest_wait_seconds "+name]; s < looks.Seconds() {
			t.Errorf("%s: the oldest has waited for %v s, want at least %v", name, s, looks)
		}
	}
	if n := second["oldest_wait_seconds idle"] + second["running_seconds idle"]; n != 0 {
		t.Errorf("an idle thread runs or is waited for: %v", n)
	}
	for range 90 { // all that the first has seen
		turn <- true
	}
	flooded.Call(func() {})
	begun2 := make(chan bool)
	flooded.Go(func() { begun2 <- true; <-turn })
	testutil.Arrives(t, begun2)
	flooded.Go(func() {})
	if s := parse(t, metrics())["oldest_wait_seconds flooded"]; s != 0 {
		t.Errorf("a function that has just been queued has waited for %v s", s)
	}
	close(turn)
	close(release)
	hung.Close()
	if s := parse(t, metrics())["oldest_wait_seconds hung"]; s != 0 {
		t.Errorf("what has ended has waited for %v s", s)
	}
}

// pauses is how often the program was stopped, but for collections.
func pauses() (n uint64) {
	s := []rtmetrics.Sample{{Name: "/sched/pauses/total/other:seconds"}}
	rtmetrics.Read(s)
	for _, c := range s[0].Value.Float64Histogram().Counts {
		n += c
	}
	return n
}

// Metrics stop nothing, and neither metrics nor the page make a call slower: they take no times of
// its function.
func TestMetrics_doNotStopTheProgram(t *testing.T) {
	th := thread.New(thread.WithName("fast"))
	defer th.Close()
	recorderhttp.Metrics()
	before := pauses()
	for range 10 {
		metrics()
		get("GET", "?stacks=0")
	}
	if n := pauses() - before; n != 0 {
		t.Errorf("the program was stopped %d times", n)
	}
	if get("GET", ""); pauses() == before {
		t.Error("the page has not stopped the program, so this test sees nothing")
	}
	th.Call(func() {})
	if s := th.Stats(); s.Waits.Count+s.Runs.Count != 0 {
		t.Errorf("%d waits and %d runs are measured", s.Waits.Count, s.Runs.Count)
	}
}

func TestMetrics_answersGetOnly(t *testing.T) {
	for method, code := range map[string]int{"GET": 200, "HEAD": 200, "POST": 405} {
		w := httptest.NewRecorder()
		recorderhttp.Metrics().ServeHTTP(w, httptest.NewRequest(method, "/metrics", nil))
		if kind := w.Header().Get("Content-Type"); w.Code != code || (w.Body.Len() == 0) != (method ==
			"HEAD") || code == 200 && kind != "text/plain; version=0.0.4; charset=utf-8" {
			t.Errorf("%s: status %d, %s, %d bytes", method, w.Code, kind, w.Body.Len())
		}
	}
}
