package host

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A Watch tells what else the machine did while benchmarks ran. It does nothing while they run: it looks at the counters of
// the system before and after each process. It is not safe for concurrent use.
type Watch struct {
	m        Machine
	first    sample
	settings map[string]string
	tasks    map[int]task // at the beginning
	spans    int
	marked   int
	sum      Disturbance // of all spans, weighted by their time
	kilohz   []int       // of the fastest CPU at the end of each span, where known
	rivals   []task      // seen beside marked spans
}

// Watch begins a watch.
func (m Machine) Watch() *Watch {
	return &Watch{m: m, first: m.sample(), settings: m.settings(), tasks: m.tasks()}
}

// A Span is the time of one process of ours.
type Span struct {
	w     *Watch
	begin sample
}

// Begin is called right before a process is started.
func (w *Watch) Begin() *Span { return &Span{w, w.m.sample()} }

// End is called after the process has been waited for, or its own time would be taken for that of others. It returns what
// was taken from the process.
func (s *Span) End() Disturbance {
	w := s.w
	d := s.begin.until(w.m.sample())
	w.spans++
	w.sum = w.sum.and(d)
	if f := w.m.fastest(); f > 0 {
		w.kilohz = append(w.kilohz, f)
	}
	if d.Marked() {
		w.marked++
		for _, t := range w.m.rivals() {
			if !slices.ContainsFunc(w.rivals, func(o task) bool { return o.pid == t.pid }) {
				w.rivals = append(w.rivals, t)
			}
		}
	}
	return d
}

// End tells what was seen in all spans, and what has changed since the watch began. At least one finding is returned.
func (w *Watch) End() []Finding {
	last := w.m.sample()
	if !w.sum.Known {
		return []Finding{{"disturbances", "not known", "This system does not tell what was taken from the benchmarks.", Note}}
	}
	var all []Finding
	add := func(level Level, name, value, meaning string) {
		all = append(all, Finding{name, value, meaning, level})
	}
	switch value := fmt.Sprintf("%d of %d processes", w.marked, w.spans); {
	case w.marked == 0:
		add(Fine, "disturbed", value, "")
	case 5*w.marked > w.spans:
		add(Warning, "disturbed", value, "Others took the machine from them. Their results are kept, because to "+
			"leave out what is slow would make all look faster than it is; the intervals are wider for it. "+
			"Measured in turns, old and new both had it.")
	default:
		add(Note, "disturbed", value, "Others took the machine from them. Their results are kept: the centre "+
			"hardly moves for so few.")
	}
	if w.marked > 0 {
		value := fmt.Sprintf("%.1f of %d CPUs", w.sum.Others, w.sum.CPUs)
		if names := busiest(w.tasks, w.m.tasks(), last.at.Sub(w.first.at)); len(names) > 0 {
			value += "; since the beginning " + strings.Join(names, ", ")
		}
		add(Note, "other processes", value, "On average while benchmarks ran. Only processes that are still there "+
			"have names.")
	}
	if w.sum.Stolen > markShare {
		add(Warning, "stolen time", fmt.Sprintf("%.0f %%", 100*w.sum.Stolen), "The hypervisor ran other machines "+
			"when this one had work to do. Nothing here can prevent it: use more rounds, or another machine.")
	}
	if w.sum.Throttled > 0 {
		add(Warning, "quota", fmt.Sprintf("stopped threads for %v", w.sum.Throttled.Round(time.Millisecond)),
			"The cgroup that this process is in had used up its CPU time. Use fewer threads (-cpu), or raise the "+
				"quota.")
	}
	if w.sum.Cooled > 0 {
		add(Warning, "heat", fmt.Sprintf("slowed down %d times", w.sum.Cooled), "The processor was too hot to run "+
			"at its frequency. Let it cool, and use -cpufreq with a lower value.")
	}
	if len(w.kilohz) > 0 {
		low, high := slices.Min(w.kilohz), slices.Max(w.kilohz)
		if value := hertz(low) + " to " + hertz(high); float64(high) > 1.1*float64(low) {
			add(Warning, "frequency", value, "Of the fastest CPU right after each process. Benchmarks ran at "+
				"different frequencies. As root, -cpufreq 90 fixes it for the run.")
		} else {
			add(Fine, "frequency", value, "")
		}
	}
	if len(w.rivals) > 0 {
		add(Warning, "other benchmarks", "ran at the same time: "+join(w.rivals), "They were started without the "+
			"lock that threadcall bench takes, and both results suffer. Measure again when they have ended.")
	}
	if pages := last.swapped - w.first.swapped; pages > 0 && last.stalled-w.first.stalled > last.at.Sub(w.first.at)/100 {
		add(Warning, "memory", fmt.Sprintf("%d pages swapped", pages), "Memory was scarce, and processes waited for it.")
	}
	settings := w.m.settings()
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if before, now := w.settings[name], settings[name]; before != "" && before != now {
			add(Warning, name, fmt.Sprintf("changed from %s to %s", before, now), "What was measured before and "+
				"after the change does not compare. Measure again.")
		}
	}
	return all
}

// A Disturbance says what was taken from the processes that ran in a span of time. It is of the CPUs that are theirs: those
// to which they are pinned, or on which this process may run.
type Disturbance struct {
	Known     bool          `json:"known"` // if false, the system does not tell, and the rest is zero
	Wall      time.Duration `json:"wall"`  // how long the span was
	CPUs      int           `json:"cpus"`
	Own       float64       `json:"own"`       // CPUs that this process and its children used, on average
	Others    float64       `json:"others"`    // CPUs that all else used, kernel threads and interrupts included, on average
	Stolen    float64       `json:"stolen"`    // of the time for which work was there, what the hypervisor gave to others, 0 to 1
	Throttled time.Duration `json:"throttled"` // how long the cgroup's quota stopped threads, summed over CPUs
	Cooled    int           `json:"cooled"`    // how often a processor was slowed down because of its temperature
}

// What is below these may be an error of the counters, which have a resolution of 10 ms for each CPU, or no matter.
const (
	markShare   = 0.05
	markAtLeast = 50 * time.Millisecond
)

// Marked reports whether the processes were disturbed: others used more than a twentieth of the CPUs, more than a twentieth
// was stolen, or they were throttled at all.
//
// What was measured in a marked span must be kept: to leave out what is slow would make everything look faster than it is.
// It is there to tell the reader, and for a run that goes on until its interval is narrow.
func (d Disturbance) Marked() bool {
	over := func(share, cpus float64) bool {
		return share > markShare && share*cpus*d.Wall.Seconds() > markAtLeast.Seconds()
	}
	return d.Known && (over(d.Others/float64(max(d.CPUs, 1)), float64(d.CPUs)) || over(d.Stolen, d.Own+d.Others) ||
		d.Throttled > 0 || d.Cooled > 0)
}

// String says in half a line what was taken: "others used 0.8 of 2 CPUs, 12 % stolen".
func (d Disturbance) String() string {
	if !d.Known {
		return "not known"
	}
	parts := []string{fmt.Sprintf("others used %.1f of %d CPUs", d.Others, d.CPUs)}
	if d.Stolen >= 0.005 {
		parts = append(parts, fmt.Sprintf("%.0f %% stolen", 100*d.Stolen))
	}
	if d.Throttled > 0 {
		parts = append(parts, fmt.Sprintf("throttled for %v", d.Throttled.Round(time.Millisecond)))
	}
	if d.Cooled > 0 {
		parts = append(parts, fmt.Sprintf("slowed down by heat %d times", d.Cooled))
	}
	return strings.Join(parts, ", ")
}

// and returns what was taken in both spans: averages by their time, and sums.
func (d Disturbance) and(e Disturbance) Disturbance {
	if !d.Known || !e.Known {
		if d.Known {
			return d
		}
		return e
	}
	average := func(a, weightA, b, weightB float64) float64 {
		if weightA+weightB == 0 {
			return 0
		}
		return (a*weightA + b*weightB) / (weightA + weightB)
	}
	wallD, wallE := d.Wall.Seconds(), e.Wall.Seconds()
	wanted := func(d Disturbance) float64 { return d.Wall.Seconds() * (d.Own + d.Others) / max(1e-3, 1-d.Stolen) }
	return Disturbance{
		Known:     true,
		Wall:      d.Wall + e.Wall,
		CPUs:      e.CPUs,
		Own:       average(d.Own, wallD, e.Own, wallE),
		Others:    average(d.Others, wallD, e.Others, wallE),
		Stolen:    average(d.Stolen, wanted(d), e.Stolen, wanted(e)),
		Throttled: d.Throttled + e.Throttled,
		Cooled:    d.Cooled + e.Cooled,
	}
}

func join(tasks []task) string {
	var names []string
	for _, t := range tasks {
		names = append(names, t.String())
	}
	return strings.Join(names, ", ")
}

// hertz formats a number of kilohertz.
func hertz(kilohertz int) string { return fmt.Sprintf("%.2f GHz", float64(kilohertz)/1e6) }
