package recorderhttp_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"runtime/trace"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/recorder/recorderhttp"
)

var requested bool // in a run of the test before

// Nothing is recorded before the first request.
func TestTrace_answersWithATrace(t *testing.T) {
	h := recorderhttp.Trace()
	if trace.IsEnabled() && !requested {
		t.Error("a program with a handler records a trace")
	}
	requested = true
	get := func(method, query string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/debug/trace"+query, nil))
		return w
	}
	w := get(http.MethodGet, "?seconds=0.1")
	if strings.HasPrefix(runtime.Version(), "go1.24") {
		if w.Code != http.StatusServiceUnavailable || !strings.Contains(w.Body.String(), "Go 1.25") {
			t.Errorf("status %d, %q", w.Code, w.Body)
		}
		return
	}
	if w.Code != http.StatusOK || !strings.HasPrefix(w.Body.String(), "go 1.") ||
		!strings.Contains(w.Header().Get("Content-Disposition"), ".trace") {
		t.Errorf("status %d, header %v, %d bytes", w.Code, w.Header(), w.Body.Len())
	}
	if !trace.IsEnabled() {
		t.Error("IsEnabled is false while the last seconds are recorded")
	}
	if head, post := get(http.MethodHead, ""), get(http.MethodPost, ""); head.Body.Len() != 0 ||
		head.Code != http.StatusOK || post.Code != http.StatusMethodNotAllowed {
		t.Errorf("HEAD has status %d and %d bytes, POST %d", head.Code, head.Body.Len(), post.Code)
	}
	for _, seconds := range []string{"x", "-1", "NaN", "1e9"} {
		if w := get(http.MethodGet, "?seconds="+seconds); w.Code != http.StatusBadRequest {
			t.Errorf("%s seconds have status %d", seconds, w.Code)
		}
	}
}
