package recorderhttp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/recorder/recorderhttp"
	"github.com/threadcall/threadcall/thread"
)

func get(method, query string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	recorderhttp.Threads().ServeHTTP(w, httptest.NewRequest(method, "/debug/threads"+query, nil))
	return w
}

//go:noinline
func compute(begun, release chan bool) { begun <- true; <-release }

//go:noinline
func hang(begun, release chan bool) { begun <- true; <-release }

func ExampleThreads() {
	t := thread.New(thread.WithName("gl"))
	defer t.Terminate()

	http.Handle("/debug/threads", recorderhttp.Threads())
	get := func() string {
		w := httptest.NewRecorder()
		http.DefaultServeMux.ServeHTTP(w,
			httptest.NewRequest("GET", "/debug/threads?format=prometheus", nil))
		return w.Body.String()
	}
	t.Call(func() {}) // the thread is there
	get()             // counts begin
	t.Call(func() {})
	for line := range strings.Lines(get()) {
		if strings.HasPrefix(line, "workqueue_adds_total{name=\"gl\"") {
			fmt.Println("workqueue_adds_total", strings.Fields(line)[1])
		}
	}
	// Output: workqueue_adds_total 1
}

func TestThreads_showsWhatEachThreadDoes(t *testing.T) {
	name := `render "<b>` + "\n\\"
	th, p := thread.New(thread.WithName(name)), thread.NewPool(2, thread.WithName("workers"))
	defer th.Terminate()
	defer p.Terminate()
	th.Call(func() {}) // so the threads exist
	p.Call(func() {})
	begun, release := make(chan bool), make(chan bool)
	defer close(release)
	hung := thread.New(thread.WithName("hung"))
	defer hung.Terminate()
	hung.Go(func() { hang(begun, release) }) // before the first request
	testutil.Arrives(t, begun)
	testutil.Eventually(t, func() bool {
		return strings.Contains(get(http.MethodGet, "").Body.String(), ", pool of 2</small>")
	}, "both threads of the pool have started")
	th.Go(func() { compute(begun, release) })
	p.Go(func() { compute(begun, release) })
	for range 2 {
		testutil.Arrives(t, begun)
	}
	for range 3 {
		th.Go(func() {})
	}
	w := get(http.MethodGet, "")
	page := w.Body.String()
	for _, want := range []string{"render &#34;&lt;b&gt;", ", pool of 2</small>",
		"<summary>recorderhttp_test.compute</summary>", "<summary>recorderhttp_test.hang</summary>"} {
		if w.Code != http.StatusOK || !strings.Contains(page, want) {
			t.Errorf("status %d: no %q in\n%s", w.Code, want, page)
		}
	}
	if strings.Contains(page, "<script") || strings.Contains(page, "<b>") {
		t.Errorf("scripts, or what is not escaped, in\n%s", page)
	}

	at := regexp.MustCompile(`hung <small>(\d+)</small>\n(?:.*\n)*?.*` +
		`<td class="n">at least [0-9.]+[mµn]?s<`)
	if m := at.FindStringSubmatch(page); m == nil || m[1] != fmt.Sprint(hung.ID()) {
		t.Errorf("the thread %d that hung before the first request does not show since when in\n%s",
			hung.ID(), page)
	}

	w = get(http.MethodGet, "?format=prometheus")
	values := map[string]float64{}
	for _, id := range []string{fmt.Sprintf(`hung",id="%d"`, hung.ID()),
		fmt.Sprintf(`workers",id="%d"`, p.ID())} {
		if !strings.Contains(w.Body.String(), id) {
			t.Errorf("no %s in\n%s", id, w.Body)
		}
	}
	line := regexp.MustCompile(`^(workqueue_[a-z_]+)\{name="((?:[^"\\\n]|\\["\\n])*)",id="\d+"` +
		`(?:,le="([0-9.e+-]+|\+Inf)")?\} ([0-9.e+-]+)$`)
	comment := regexp.MustCompile(`^# (HELP workqueue_[a-z_]+ .+\.|` +
		`TYPE workqueue_[a-z_]+ (gauge|counter|histogram))$`)
	for text := range strings.Lines(w.Body.String()) {
		text = strings.TrimSpace(text)
		m := line.FindStringSubmatch(text)
		if m == nil {
			if !comment.MatchString(text) {
				t.Errorf("no line of Prometheus: %q", text)
			}
			continue
		}
		key := m[1] + " " + m[2] + " " + m[3]
		if _, twice := values[key]; twice && strings.Contains(key, "render") {
			t.Errorf("twice: %s", text)
		}
		values[key], _ = strconv.ParseFloat(m[4], 64)
	}
	thread := ` render \"<b>\n\\ `
	for key, want := range map[string]float64{
		"workqueue_depth" + thread: 3, "workqueue_depth workers ": 0,
		"workqueue_adds_total" + thread: 4, "workqueue_adds_total workers ": 1,
		"workqueue_queue_duration_seconds_count" + thread:           1,
		"workqueue_queue_duration_seconds_bucket" + thread + "+Inf": 1,
		"workqueue_work_duration_seconds_count" + thread:            0,
	} {
		if got, ok := values[key]; got != want || !ok {
			t.Errorf("%s is %v, want %v", key, got, want)
		}
	}
	for _, key := range []string{"workqueue_unfinished_work_seconds",
		"workqueue_longest_running_processor_seconds"} {
		if values[key+thread] <= 0 || values[key+" workers "] <= 0 || values[key+" hung "] <= 0 {
			t.Errorf("%s: %v, %v, %v", key, values[key+thread], values[key+" workers "],
				values[key+" hung "])
		}
	}
	if t.Failed() {
		t.Log(w.Body)
	}
	for query, code := range map[string]int{"?format=xml": 400, "": 200} {
		if w := get(http.MethodHead, query); w.Code != code {
			t.Errorf("HEAD %q has status %d", query, w.Code)
		}
	}
	if w := get(http.MethodPost, ""); w.Code != http.StatusMethodNotAllowed {
		t.Errorf("POST has status %d", w.Code)
	}
}
