package serve

import (
	"bytes"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"runtime/trace"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
)

func TestOnlyLoopbackAddresses(t *testing.T) {
	for address, ok := range map[string]bool{
		"localhost:0": true, "127.0.0.1:8080": true, "[::1]:80": true, ":8080": true, "127.1.2.3:1": true,
		"0.0.0.0:80": false, "[::]:80": false, "192.168.0.1:80": false, "example.com:80": false, "localhost": false, "localhost:x": false, "": false,
	} {
		if err := Check(address); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	l, err := Listen(":0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if host := strings.TrimSuffix(strings.TrimPrefix(l.Addr().String(), "["), "]"); !strings.HasPrefix(host, "127.0.0.1:") && !strings.HasPrefix(host, "::1]:") {
		t.Errorf("listens on %s", host)
	}
}

func TestPagesAndTiles(t *testing.T) {
	var out bytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	time.Sleep(time.Millisecond)
	trace.Stop()
	w, err := lanes.Create()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r, err := read.Trace(&out, read.Options{Name: "the trace", Lanes: w})
	if err != nil {
		t.Fatal(err)
	}
	x, err := w.Index()
	if err != nil {
		t.Fatal(err)
	}
	h := Handler([]Trace{{Report: r, Index: x}, {Report: r, Index: x}})
	for _, c := range []struct {
		method, host, path string
		status             int
		has                string
	}{
		{"GET", "localhost:1", "/", http.StatusOK, "the trace"},
		{"GET", "127.0.0.1", "/2/", http.StatusOK, "connect-src"},
		{"GET", "[::1]:80", "/2/tile", http.StatusOK, `"goroutines"`},
		{"GET", "localhost", "/tile?columns=10&lanes=3", http.StatusOK, `"goroutines"`},
		{"GET", "localhost", "/tile?columns=10&lanes=3", http.StatusOK, `"goroutines"`},
		{"GET", "localhost", "/tile?from=x", http.StatusBadRequest, "no number"},
		{"GET", "localhost", "/tile?goroutine=x", http.StatusBadRequest, "no goroutine"},
		{"GET", "localhost", "/tile?place=nowhere", http.StatusNotFound, "nowhere"},
		{"GET", "localhost", "/3/", http.StatusNotFound, ""},
		{"POST", "localhost", "/", http.StatusMethodNotAllowed, ""},
		{"GET", "example.com", "/", http.StatusForbidden, "localhost only"},
		{"GET", "example.com", "/tile", http.StatusForbidden, "localhost only"},
	} {
		request := httptest.NewRequest(c.method, c.path, nil)
		request.Host = c.host
		answer := httptest.NewRecorder()
		h.ServeHTTP(answer, request)
		if answer.Code != c.status || !strings.Contains(answer.Body.String(), c.has) {
			t.Errorf("%+v: status %d, %.200s", c, answer.Code, answer.Body)
		}
		if c.has == `"goroutines"` {
			var tile lanes.Tile
			if err := json.Unmarshal(answer.Body.Bytes(), &tile); err != nil || len(tile.Lanes) == 0 || tile.Of < len(tile.Lanes) {
				t.Errorf("%s: %v, %d of %d goroutines", c.path, err, len(tile.Lanes), tile.Of)
			}
		}
	}
}
