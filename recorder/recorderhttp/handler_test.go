package recorderhttp_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/recorder/recorderhttp"
)

func TestHandler_answersWithATrace(t *testing.T) {
	h := recorderhttp.Handler()
	get := func(method string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, "/debug/trace", nil))
		return w
	}
	w := get(http.MethodGet)
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
	if head, post := get(http.MethodHead), get(http.MethodPost); head.Body.Len() != 0 ||
		head.Code != http.StatusOK || post.Code != http.StatusMethodNotAllowed {
		t.Errorf("HEAD has status %d and %d bytes, POST %d", head.Code, head.Body.Len(), post.Code)
	}
}
