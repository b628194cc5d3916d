package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/threadcall/threadcall/internal/soak/draw"
	"github.com/threadcall/threadcall/internal/soak/record"
)

// text is the verdict for the terminal.
func (r *result) text() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s.\n\n", r.summary())
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "\tfirst third\tlast third\tan hour\tgrowth\tlimit\t\t")
	for _, d := range r.drifts {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t\n", d.name, d.value(d.first), d.value(d.last),
			signed(d.perHour), d.value(d.growth), d.value(d.limit), d.verdict())
	}
	_ = w.Flush() // to memory
	for _, f := range r.faults {
		fmt.Fprintf(&b, "\nwrong: %s\n", f)
	}
	return b.String()
}

// summary is one sentence without its point.
func (r *result) summary() string {
	end, calls, mallocs := r.end()
	rate := float64(calls) / max(end.Seconds(), 1e-9)
	s := fmt.Sprintf("%s calls in %v (%s a second), %d samples; %.3f allocations a call, those of the load included",
		thousands(float64(calls)), short(end), thousands(rate), len(r.samples),
		float64(mallocs)/max(float64(calls), 1))
	if r.early {
		s += "; interrupted, it was to take " + short(r.settings.duration)
	}
	return s
}

// end returns how long it took, and how many calls and allocations were made.
func (r *result) end() (end time.Duration, calls, mallocs uint64) {
	if n := len(r.samples); n > 0 {
		last := r.samples[n-1]
		return last.At, last.Calls, last.Mallocs - r.samples[0].Mallocs
	}
	return 0, 0, 0
}

// value writes a number of a measure with its unit.
func (m measure) value(x float64) string { return strings.TrimSpace(thousands(x) + " " + m.unit) }

func (d drift) verdict() string {
	if d.ok {
		return "ok"
	}
	return "GROWS"
}

func signed(x float64) string {
	if text := thousands(x); strings.HasPrefix(text, "-") || text == "0" {
		return text
	}
	return "+" + thousands(x)
}

// thousands writes a number with three digits at least, as far as there are, and commas.
func thousands(x float64) string {
	digits := 0
	if x != float64(int64(x)) && x > -100 && x < 100 {
		digits = 1
	}
	text := strconv.FormatFloat(x, 'f', digits, 64)
	sign, text := text[:len(text)-len(strings.TrimPrefix(text, "-"))], strings.TrimPrefix(text, "-")
	whole, fraction, found := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if found {
		whole += "." + fraction
	}
	if strings.Trim(whole, "0.") == "" {
		return "0"
	}
	return sign + whole
}

// write writes the report, the picture and the samples.
func (r *result) write(dir string) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	var picture, samples bytes.Buffer
	if err := draw.WriteSVG(&picture, r.picture()); err != nil {
		return err
	}
	if err := record.WriteCSV(&samples, r.samples); err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"soak.md": r.markdown(), "soak.svg": picture.Bytes(), "soak.csv": samples.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// picture has a panel for each unit of what is judged, and one each for what is not.
func (r *result) picture() draw.Picture {
	line := func(name string, judged bool, of func(record.Sample) float64) draw.Line {
		l := draw.Line{Name: name}
		for _, s := range r.samples {
			l.Points = append(l.Points, draw.Point{At: s.At, Value: of(s)})
		}
		if judged {
			l.Levels = levels(r.samples, of)
		}
		return l
	}
	end, calls, _ := r.end()
	return draw.Picture{
		Title:  fmt.Sprintf("threadcall under mixed load: %s calls in %v", thousands(float64(calls)), short(end)),
		WarmUp: warmUp(end),
		Panels: []draw.Panel{
			{Title: "live heap and goroutine stacks (KiB)", Lines: []draw.Line{
				line("live heap", true, func(s record.Sample) float64 { return s.Live / kib }),
				line("stacks", true, func(s record.Sample) float64 { return s.Stacks / kib }),
			}},
			{Title: "resident memory (MiB)", Lines: []draw.Line{
				line("", true, func(s record.Sample) float64 { return s.Resident / mib }),
			}},
			{Title: "goroutines and threads of the operating system", Lines: []draw.Line{
				line("goroutines", true, func(s record.Sample) float64 { return s.Goroutines }),
				line("threads", true, func(s record.Sample) float64 { return s.Threads }),
			}},
			{Title: "calls (thousands a second)", Lines: []draw.Line{
				line("", false, func(s record.Sample) float64 { return s.CallsRate / 1000 }),
			}},
			{Title: "computing time (cores)", Lines: []draw.Line{
				line("", false, func(s record.Sample) float64 { return s.CPURate }),
			}},
		},
	}
}

// markdown is the report as a page.
func (r *result) markdown() []byte {
	var b bytes.Buffer
	end, _, _ := r.end()
	p := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	p("# A long run\n\n")
	p("`make soak` loads the main thread, other threads and pools with all that they can do, and fails if anything grows. ")
	p("This page and its\npicture are what one run wrote:\n\n")
	p("- %s\n- on %s, %s\n- %s\n\n", "`"+r.commandLine()+"`", record.Machine(), r.began.UTC().Format(time.DateOnly), r.summary())
	p("![what the process held, over time](soak.svg)\n\n")
	p("Curves are medians, the pale bands go from the least sample to the most. The warm-up is shaded; dashed are the floors of\n")
	p("the first and the last third of what follows it.\n\n## Verdict\n\n")
	p("| | first third | last third | slope, an hour | growth | limit | |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	for _, d := range r.drifts {
		p("| %s | %s | %s | %s | %s | %s | %s |\n", d.name, d.value(d.first), d.value(d.last), signed(d.perHour),
			d.value(d.growth), d.value(d.limit), d.verdict())
	}
	p("\nEach sample, one in %v, is taken after a garbage collection. The first %v do not count. What comes and goes with the\n",
		min(sampleEvery, r.settings.duration/minSamples), short(warmUp(end)))
	p("calls under way is left out by looking at the floor: the least of at least ten samples in a row. The thirds are\n")
	p("medians of floors. *Slope* is the median of the slopes between all pairs of floors (Theil and Sen). *Growth* is the lesser\n")
	p("of what the slope makes of the time that counts and the difference of the thirds, and must not exceed the limit. Speed is\n")
	p("not judged.\n\n")
	p("Every call's result was checked as well: that it ran once, in order, or not at all; %d faults.\n\n", len(r.faults))
	for _, f := range r.faults {
		p("    %s\n", strings.ReplaceAll(f, "\n", "\n    "))
	}
	p("## The load\n\nAll of it at once, each kind in turns with a pause between them:\n\n")
	p("| kind | a turn | turns | calls |\n| --- | --- | --- | --- |\n")
	for _, row := range r.rows {
		p("| %s | %s | %s | %s |\n", row.Name, row.About, thousands(float64(row.Turns)), thousands(float64(row.Calls)))
	}
	p("\nThat it would see a leak is tested (`internal/soak`): one that loses 32 KiB, a goroutine or a thread 50 times a second is\n")
	p("found within seconds.\n")
	return b.Bytes()
}

func (r *result) commandLine() string {
	line := "make soak FOR=" + short(r.settings.duration)
	if r.settings.leak != "" {
		line += " (with a seeded leak: " + r.settings.leak + ")"
	}
	return line
}

// short writes a duration in whole seconds, without the units that are zero.
func short(d time.Duration) string {
	text := d.Round(time.Second).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
