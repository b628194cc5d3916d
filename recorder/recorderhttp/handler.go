// Package recorderhttp serves the execution trace of the last seconds, which package recorder keeps
// in memory, over HTTP. It is a package of its own so that other programs do not contain net/http,
// and registers nothing by itself:
//
//	http.Handle("/debug/trace", recorderhttp.Handler())
//	http.Handle("/debug/threads", recorderhttp.Threads())
//
// A trace has names of functions, files and tasks, and what the program logged; serve it where only
// those who may read these can reach it.
package recorderhttp

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/threadcall/threadcall/recorder"
)

// Handler returns a handler that answers GET with the trace of the last seconds, as a file. The
// recording begins at once, with the limits of [recorder.KeepLast]. Each request takes memory for
// one trace while it is served. If there can be no recording, the status is 503.
func Handler() http.Handler {
	_ = recorder.WriteLast(io.Discard) // to begin; the requests have the error
	return http.HandlerFunc(serve)
}

func serve(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "only GET is allowed", http.StatusMethodNotAllowed)
		return
	}
	var trace bytes.Buffer // a slow client must not keep others from writing
	if err := recorder.WriteLast(&trace); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Length", strconv.Itoa(trace.Len()))
	name := time.Now().UTC().Format("last-20060102-150405.trace")
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	if r.Method == http.MethodGet {
		_, _ = w.Write(trace.Bytes())
	}
}
