package recorderhttp

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"strings"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/thread"
)

// Threads returns a handler that answers GET with all threads and pools of the process that have
// not ended: name, number, length of the queue, what runs since when and where, and how long
// functions have waited and run.
//
// It is a page for a browser. With ?format=prometheus it is text for Prometheus, with the names of
// the work queues of Kubernetes' client-go, so that their dashboards and alerts work:
// workqueue_depth, workqueue_adds_total, workqueue_queue_duration_seconds,
// workqueue_work_duration_seconds, workqueue_unfinished_work_seconds and
// workqueue_longest_running_processor_seconds. The labels are name, from WithName, and id, from
// [thread.Thread.ID].
//
// A thread or pool counts, as by [thread.Thread.Stats] and at the same cost, from the first request
// that finds it. A function that began before is not counted, and has run since the first request
// that found it, at least. Each request of the page stops the program for a moment to take the
// stacks.
func Threads() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET is allowed", http.StatusMethodNotAllowed)
			return
		}
		var body bytes.Buffer
		kind := "text/html; charset=utf-8"
		switch format := r.FormValue("format"); format {
		case "":
			if err := page.Execute(&body, rows(access.States())); err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
		case "prometheus":
			kind = "text/plain; version=0.0.4; charset=utf-8"
			writeMetrics(&body, access.States())
		default:
			http.Error(w, "the format is prometheus, or none for a page", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Cache-Control", "no-store")
		if r.Method == http.MethodGet {
			_, _ = w.Write(body.Bytes())
		}
	})
}

// A metric is what is written for each thread or pool under one name.
type metric struct {
	name, kind, help string
	value            func(s access.State) any // a number, or a thread.Histogram
}

var metrics = []metric{
	{"depth", "gauge", "Functions that are queued.", func(s access.State) any { return s.Queued }},
	{"adds_total", "counter", "Functions that were queued.", func(s access.State) any {
		return s.Stats.Calls + s.Stats.Posts + s.Stats.Withdrawn + uint64(s.Stats.Queued)
	}},
	{"queue_duration_seconds", "histogram", "How long functions have waited.",
		func(s access.State) any { return thread.Histogram(s.Stats.Waits) }},
	{"work_duration_seconds", "histogram", "How long functions have run.",
		func(s access.State) any { return thread.Histogram(s.Stats.Runs) }},
	{"unfinished_work_seconds", "gauge", "How long those that run have run, together.",
		func(s access.State) any { return s.Unfinished.Seconds() }},
	{"longest_running_processor_seconds", "gauge", "How long the longest of them has run.",
		func(s access.State) any { return s.Stats.Running.Seconds() }},
}

var escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

func writeMetrics(b *bytes.Buffer, states []access.State) {
	for _, m := range metrics {
		name := "workqueue_" + m.name
		fmt.Fprintf(b, "# HELP %[1]s %[2]s\n# TYPE %[1]s %[3]s\n", name, m.help, m.kind)
		for _, s := range states {
			labels := fmt.Sprintf(`name="%s",id="%d"`, escape.Replace(s.Name), s.ID)
			h, ok := m.value(s).(thread.Histogram)
			if !ok {
				fmt.Fprintf(b, "%s{%s} %v\n", name, labels, m.value(s))
				continue
			}
			below := uint64(0)
			for i, n := range h.Buckets { // a boundary at each second power of two
				if i%8 == 1 {
					fmt.Fprintf(b, "%s_bucket{%s,le=\"%v\"} %d\n", name, labels,
						thread.HistogramBound(i).Seconds(), below)
				}
				below += n
			}
			fmt.Fprintf(b, "%s_bucket{%s,le=\"+Inf\"} %d\n", name, labels, h.Count)
			fmt.Fprintf(b, "%s_sum{%s} %v\n%[1]s_count{%[2]s} %[4]d\n", name, labels, h.Sum.Seconds(),
				h.Count)
		}
	}
}

// A row is a thread or a pool on the page.
type row struct {
	access.State
	Median, Late string // waits
	Running      []running
}

// running is what a thread does.
type running struct {
	TID               uint64
	For, Where, Stack string
}

func rows(states []access.State) (rows []row) {
	for _, s := range states {
		waits := thread.Histogram(s.Stats.Waits)
		r := row{State: s}
		if waits.Count > 0 {
			r.Median, r.Late = short(waits.Quantile(0.5)), short(waits.Quantile(0.99))
		}
		for _, t := range s.Threads {
			x := running{TID: t.TID, Where: where(string(t.Stack)), Stack: string(t.Stack)}
			if t.Running > 0 {
				x.For = short(t.Running)
				if t.Longer {
					x.For = "at least " + x.For
				}
			}
			r.Running = append(r.Running, x)
		}
		rows = append(rows, r)
	}
	return rows
}

func short(d time.Duration) string {
	for unit := time.Second; unit > 1; unit /= 1000 {
		if d >= unit {
			return d.Round(unit / 100).String()
		}
	}
	return d.String()
}

// where returns the innermost function of a stack that is not of the runtime, or what else is
// known.
func where(stack string) string {
	if stack == "" {
		return "unknown"
	}
	_, frames, _ := strings.Cut(stack, "\n")
	for line := range strings.Lines(frames) {
		f := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(line, "\t"), strings.HasPrefix(f, "runtime."),
			strings.HasPrefix(f, "sync."), strings.HasPrefix(f, "internal/"),
			strings.HasPrefix(f, "time."), strings.HasPrefix(f, "syscall."):
		case strings.HasPrefix(f, "github.com/threadcall/threadcall/internal/"):
			return "waits for functions"
		default:
			if i := strings.LastIndex(f, "("); i > 0 {
				f = f[:i]
			}
			return f[strings.LastIndex(f, "/")+1:] // without the path of its package
		}
	}
	return "in the runtime"
}

var page = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Threads</title>
<style>
:root { color-scheme: light dark; font: 15px/1.4 system-ui, sans-serif }
body { margin: 1.5em; max-width: 80em }
div { overflow-x: auto }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .4em .8em .4em 0;
	border-bottom: 1px solid color-mix(in srgb, currentColor 20%, transparent) }
td:first-child { min-width: 8em }
td:last-child { min-width: 16em }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
summary { cursor: pointer; overflow-wrap: anywhere }
pre { overflow: auto; font-size: 12px; max-width: 60em }
small { opacity: .7 }
</style>
<h1>Threads</h1>
<p>{{len .}} threads and pools that have not ended. Counts begin with the first request.
<a href="?format=prometheus">For Prometheus</a></p>
<div><table>
<tr><th>Name<th class="n">Queued<th class="n">Begun<th class="n">Waits, median<th class="n">p99
<th class="n">Thread<th class="n">Runs for<th>Where
{{range $r := .}}{{range $i, $t := .Running}}<tr>{{if $i}}<td><td><td><td><td>{{else -}}
<td>{{or $r.Name "no name"}} <small>{{$r.ID}}
{{- if $r.Pool}}, pool of {{len $r.Threads}}{{end}}</small>
<td class="n">{{$r.Queued}}<td class="n">{{$r.Stats.Waits.Count}}<td class="n">{{$r.Median}}
<td class="n">{{$r.Late}}{{end}}
<td class="n">{{$t.TID}}<td class="n">{{$t.For}}<td>{{if $t.Stack -}}
<details><summary>{{$t.Where}}</summary><pre>{{$t.Stack}}</pre></details>{{else}}{{$t.Where}}{{end}}
{{end}}{{end}}</table></div>
`))
