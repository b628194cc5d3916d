// Package serve serves the pages of traces on the loopback interface. A page requests pictures of the part that is shown,
// which are made from the intervals of the trace on demand.
package serve

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// Listen returns a listener on a loopback address. Without a host it is localhost; with the port 0 a free one is chosen.
// Other hosts are refused: who can reach the server can read the trace.
func Listen(address string) (net.Listener, error) {
	if err := Check(address); err != nil {
		return nil, err
	}
	if strings.HasPrefix(address, ":") {
		address = "localhost" + address
	}
	return net.Listen("tcp", address)
}

// Check returns an error if the address is not on the loopback interface.
func Check(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("%q is no address: it must be HOST:PORT, as localhost:8080", address)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q has no port: it must be HOST:PORT, as localhost:8080", address)
	}
	if host != "" && !isLoopback(host) {
		return fmt.Errorf("%s is no loopback address; the trace is served to this machine only, as on localhost:8080", host)
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// A Trace is one that is served.
type Trace struct {
	Report    *report.Report
	Index     *lanes.Index
	Selection lanes.Selection // that the page shows at first
}

// Handler serves the traces: the first at /, the others at /2/, /3/ and so on. It answers only requests for a loopback host, so that no
// other site's name can be made to lead here.
func Handler(traces []Trace) http.Handler {
	mux := http.NewServeMux()
	for i, t := range traces {
		prefix := "/"
		if i > 0 {
			prefix = fmt.Sprintf("/%d/", i+1)
		}
		p := &pages{Trace: t}
		mux.HandleFunc("GET "+prefix+"{$}", p.page)
		mux.HandleFunc("GET "+prefix+"tile", p.tile)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := r.Host
		if h, _, err := net.SplitHostPort(host); err == nil {
			host = h
		}
		if !isLoopback(strings.Trim(host, "[]")) {
			http.Error(w, "this server answers requests for localhost only", http.StatusForbidden)
			return
		}
		w.Header().Set("X-Content-Type-Options", "nosniff")
		w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
		mux.ServeHTTP(w, r)
	})
}

// pages serves one trace.
type pages struct {
	Trace
	mu    sync.Mutex // one tile is made at a time; the file is read by one processor
	cache []cached   // the last used one last
}

type cached struct {
	query string
	tile  []byte
}

const maxCached = 32

func (p *pages) page(w http.ResponseWriter, _ *http.Request) {
	var b bytes.Buffer
	if err := chart.Live(&b, p.Report, p.Selection); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = b.WriteTo(w)
}

func (p *pages) tile(w http.ResponseWriter, r *http.Request) {
	s, size, err := parse(r.URL.Query())
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.Context().Err() != nil { // the page shows another part by now
		return
	}
	text, err := p.make(r.URL.Query().Encode(), s, size)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(text)
}

func (p *pages) make(query string, s lanes.Selection, size lanes.Size) ([]byte, error) {
	for i, c := range p.cache {
		if c.query == query {
			p.cache = append(append(p.cache[:i:i], p.cache[i+1:]...), c)
			return c.tile, nil
		}
	}
	tile, err := p.Index.Tile(s, size)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(tile)
	if err != nil {
		return nil, err
	}
	if len(p.cache) == maxCached {
		p.cache = p.cache[1:]
	}
	p.cache = append(p.cache, cached{query, text})
	return text, nil
}

// parse returns the parameters of a tile: from, to, columns, lanes, goroutine and place.
func parse(q url.Values) (s lanes.Selection, size lanes.Size, err error) {
	number := func(name string, otherwise int64) int64 {
		text := q.Get(name)
		if text == "" {
			return otherwise
		}
		n, wrong := strconv.ParseInt(text, 10, 64)
		if wrong != nil || n < 0 {
			err = fmt.Errorf("%s=%q is no number", name, text)
		}
		return n
	}
	s.From, s.To = time.Duration(number("from", 0)), time.Duration(number("to", 0))
	size.Columns, size.Lanes = int(number("columns", 1000)), int(number("lanes", 50))
	s.Place = q.Get("place")
	if err == nil {
		s.Goroutines, err = lanes.ParseGoroutines(q.Get("goroutine"))
	}
	return s, size, err
}
