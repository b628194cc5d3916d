package recorderhttp

import (
	"bytes"
	"cmp"
	"fmt"
	"html/template"
	"strings"
)

// title says what is wrong, if anything.
func (p *page) Title() string {
	if p.Stuck == 0 {
		return "No thread is stuck"
	}
	return fmt.Sprintf("%d of %d threads and pools are stuck", p.Stuck, len(p.Threads))
}

// Notes are what is to be known of a row beside its numbers.
func (r *row) Notes() (notes []string) {
	note := func(is bool, format string, args ...any) {
		if is {
			notes = append(notes, fmt.Sprintf(format, args...))
		}
	}
	note(r.Size > 0, "pool of %d, %d idle", r.Size, r.Idle)
	note(r.Key != "", "key %s", r.Key)
	note(r.Unserved, "nothing serves it")
	note(r.Dropped, "handle dropped")
	note(r.Limit > 0, "queue limit %d", r.Limit)
	note(r.Blocked > 0, "%d posters wait for the limit", r.Blocked)
	note(r.Slow > 0, "%d slow calls", r.Slow)
	note(r.P99 > 0, "waits: median %v, p99 %v", r.Median, r.P99)
	return notes
}

// text writes the page for a terminal.
func (p *page) text(b *bytes.Buffer) {
	fmt.Fprintf(b, "%s\n%s, pid %d, %s\n", p.Title(), p.Program, p.PID,
		p.Time.Format("2006-01-02 15:04:05.000 MST"))
	for _, r := range p.Threads {
		state := ""
		if r.Stuck {
			state = "STUCK "
		}
		fmt.Fprintf(b, "\n%s%s (%d)", state, cmp.Or(r.Name, "no name"), r.ID)
		for _, n := range r.Notes() {
			b.WriteString(", " + n)
		}
		fmt.Fprintf(b, "\n  queued %d", r.Queued)
		if r.OldestWait > 0 {
			fmt.Fprintf(b, ", the oldest waits for at least %v", r.OldestWait)
		}
		if r.Running > 0 {
			fmt.Fprintf(b, ", runs for %v", r.Running)
		}
		for _, s := range r.Spans() {
			fmt.Fprintf(b, "\n  %s: %d run, %d refused, %d withdrawn, %d panicked, busy %s", s.Name, s.Run,
				s.Refused, s.Withdrawn, s.Panicked, s.Share)
		}
		if q := r.Panic; q != nil {
			fmt.Fprintf(b, "\n  last panic %s: %s", q.At.Format("2006-01-02 15:04:05"), q.Text)
		}
		b.WriteByte('\n')
		for _, w := range r.Works {
			fmt.Fprintf(b, "  thread %d %s\n", w.TID, w.Does)
			if r.Stuck || r.Running > 0 {
				indent(b, "queued by", w.From)
				indent(b, "at", w.Stack)
			}
		}
	}
	for _, e := range p.Ended {
		fmt.Fprintf(b, "\n%s has ended and refused %d functions\n", cmp.Or(e.Name, "no name"), e.Refused)
	}
	if len(p.Waits) > 0 {
		b.WriteString("\nWho waits for whom\n")
	}
	for _, e := range p.Waits {
		fmt.Fprintf(b, "  %s waits for %s of %s in %s\n", e.From, e.For, strings.Join(e.To, " or "),
			e.Where)
	}
}

func indent(b *bytes.Buffer, what, stack string) {
	if stack == "" {
		return
	}
	fmt.Fprintf(b, "    %s\n", what)
	for line := range strings.Lines(stack) {
		b.WriteString("      " + strings.TrimSuffix(line, "\n") + "\n")
	}
}

// A namedSpan is a span on the page.
type namedSpan struct {
	Name string
	span
	Share string // of the time that the thread was busy
}

// Spans are the last minute, if it is known, and the time since the thread was made.
func (r *row) Spans() (spans []namedSpan) {
	if s := r.Last; s.Seconds > 0 {
		spans = append(spans, namedSpan{"last " + s.Seconds.String(), s, fmt.Sprintf("%d %%", s.Load())})
	}
	return append(spans, namedSpan{"in all", r.Total, r.Total.Busy.String()})
}

var html = template.Must(template.New("").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{{.Title}}: {{.Program}}</title>
<style>
:root { --text: #1b1f24; --dim: #59636e; --page: #fff; --card: #f6f8fa; --line: #d1d9e0;
	--bad: #b42318; --badcard: #fef1f0; color-scheme: light }
@media (prefers-color-scheme: dark) {
	:root { --text: #e6edf3; --dim: #9aa4af; --page: #0d1117; --card: #161b22; --line: #30363d;
		--bad: #ff8a80; --badcard: #2b1618; color-scheme: dark }
}
body { margin: 1.5rem auto; padding: 0 1rem; max-width: 72rem; color: var(--text);
	background: var(--page); font: 15px/1.45 system-ui, sans-serif }
h1 { font-size: 1.4rem; margin: 0 } h1.bad { color: var(--bad) }
h2 { font-size: 1.05rem; margin: 1.5rem 0 .5rem }
h3 { font-size: 1rem; margin: 0 }
p { margin: .2rem 0 .8rem } .dim, h3 small { color: var(--dim); font-weight: normal }
a { color: inherit }
section { border: 1px solid var(--line); border-left-width: 4px; border-radius: 6px;
	background: var(--card); padding: .6rem .9rem; margin: .6rem 0 }
section.bad { border-color: var(--bad); background: var(--badcard) }
.big { display: flex; flex-wrap: wrap; gap: .2rem 1.6rem; margin: .3rem 0 }
.big b { font-variant-numeric: tabular-nums } .bad .hot { color: var(--bad) }
table { border-collapse: collapse; font-size: 13px; margin: .3rem 0 }
th { font-weight: normal; color: var(--dim) }
th, td { text-align: right; padding: .05rem 1.2rem .05rem 0; font-variant-numeric: tabular-nums }
th:first-child, td:first-child { text-align: left }
summary { cursor: pointer; overflow-wrap: anywhere } details { margin: .15rem 0 }
pre { overflow: auto; font: 12px/1.4 ui-monospace, monospace; margin: .3rem 0 .6rem;
	padding: .5rem .7rem; border: 1px solid var(--line); border-radius: 4px; background: var(--page) }
ul { margin: .3rem 0; padding-left: 1.2rem }
</style>
<h1{{if .Stuck}} class="bad"{{end}}>{{.Title}}</h1>
<p class="dim">{{.Program}}, pid {{.PID}},
<time>{{.Time.Format "2006-01-02 15:04:05.000 MST"}}</time>.
As <a href="?format=text">text</a>, <a href="?format=json">JSON</a>.</p>
{{if .Waits}}<h2>Who waits for whom</h2>
<section>{{range .Waits}}<details><summary><b>{{.From}}</b> waits for {{.For}} of
{{range $i, $to := .To}}{{if $i}} or {{end}}<b>{{$to}}</b>{{end}}
<span class="dim">in {{.Where}}</span>
</summary>{{if .Stack}}<pre>{{.Stack}}</pre>{{end}}</details>
{{end}}</section>{{end}}
<h2>Threads and pools</h2>
{{range $r := .Threads}}<section{{if .Stuck}} class="bad"{{end}}>
<h3>{{or .Name "no name"}} <small>id {{.ID}}{{range .Notes}} · {{.}}{{end}}</small></h3>
<div class="big"><span>queued <b>{{.Queued}}</b></span>
{{- if .OldestWait}} <span class="hot">oldest waits for at least <b>{{.OldestWait}}</b></span>
{{- end}}
{{- if .Running}} <span>runs for <b>{{.Running}}</b></span>{{end}}</div>
<table><tr><th><th>run<th>refused<th>withdrawn<th>panicked<th>busy
{{range .Spans}}<tr><td>{{.Name}}<td>{{.Run}}<td>{{.Refused}}<td>{{.Withdrawn}}<td>{{.Panicked}}
<td>{{.Share}}
{{end}}</table>
{{with .Panic}}<p>Last panic, {{.At.Format "2006-01-02 15:04:05"}}: <code>{{.Text}}</code></p>
{{end}}
{{range .Works}}<details{{if and $r.Stuck (le (len $r.Works) 4)}} open{{end}}>
<summary>thread {{.TID}} {{.Does}}</summary>
{{if .From}}<span class="dim">queued by</span><pre>{{.From}}</pre>{{end}}
{{if .Stack}}<pre>{{.Stack}}</pre>{{end}}</details>
{{end}}</section>
{{end}}
{{range .Ended}}<section><h3>{{or .Name "no name"}} <small>has ended and refused {{.Refused}}
functions</small></h3></section>
{{end}}
`))
