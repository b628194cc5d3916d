// Package recorderhttp serves metrics, a page of all threads, and the execution trace of the last
// seconds, over HTTP. It is apart from package recorder so that other programs do not contain
// net/http. It registers nothing by itself, and costs nothing until it is requested:
//
//	http.Handle("/metrics", recorderhttp.Metrics())
//	http.Handle("/debug/threads", recorderhttp.Threads())
//	http.Handle("/debug/trace", recorderhttp.Trace())
//
// The page and the trace show names of functions and files, a trace also what the program has
// logged. Serve them only to those who may read that.
package recorderhttp

import (
	"bytes"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/threadcall/threadcall/recorder"
)

// Trace returns a handler that answers GET with the trace of the last seconds, as a file, and with
// ?seconds=5 after five more seconds. If [recorder.KeepLast] was not called, nothing is recorded
// before the first request, which should therefore have ?seconds. Each request takes memory for one
// trace. If nothing can be recorded, the status is 503.
func Trace() http.Handler { return getOnly(serve) }

// getOnly answers GET and HEAD with what serve returns, unless the type is empty.
func getOnly(
	serve func(http.ResponseWriter, *http.Request) (contentType string, body []byte),
) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			h.Set("Allow", "GET, HEAD")
			http.Error(w, "only GET is allowed", http.StatusMethodNotAllowed)
			return
		}
		contentType, body := serve(w, r)
		if contentType == "" {
			return
		}
		h.Set("Content-Type", contentType)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		h.Set("Cache-Control", "no-store")
		if r.Method == http.MethodGet {
			_, _ = w.Write(body)
		}
	})
}

func serve(w http.ResponseWriter, r *http.Request) (contentType string, body []byte) {
	if text := r.FormValue("seconds"); text != "" {
		seconds, err := strconv.ParseFloat(text, 64)
		if err != nil || !(seconds >= 0 && seconds <= 3600) {
			http.Error(w, "seconds is a number from 0 to 3600", http.StatusBadRequest)
			return "", nil
		}
		_ = recorder.WriteLast(io.Discard) // to begin; the next has the error
		select {
		case <-time.After(time.Duration(seconds * float64(time.Second))):
		case <-r.Context().Done():
			return "", nil
		}
	}
	var trace bytes.Buffer // a slow client must not keep others from writing
	if err := recorder.WriteLast(&trace); err != nil {
		http.Error(w, err.Error(), http.StatusServiceUnavailable)
		return "", nil
	}
	name := time.Now().UTC().Format("last-20060102-150405.trace")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	return "application/octet-stream", trace.Bytes()
}
