package measure

import (
	"fmt"
	"time"
)

// Taken is what was taken from a process, on the CPUs on which it could run: CPU time that other
// processes used, that the hypervisor gave to other machines, or that a quota withheld. Times of
// several CPUs are summed. The counters are those of Linux.
type Taken struct {
	// if not, the system does not report it, and the rest is zero
	Known bool          `json:"known"`
	CPUs  int           `json:"cpus"`
	Wall  time.Duration `json:"wall"` // how long the process ran
	Own   time.Duration `json:"own"`  // CPU time that it used, and this process
	// CPU time of all else, kernel threads and interrupts included
	Others time.Duration `json:"others"`
	// there was work and the hypervisor ran other machines
	Stolen    time.Duration `json:"stolen"`
	Throttled time.Duration `json:"throttled"` // for which the quota of the cgroup stopped threads
}

// counters are those of the system at a moment. Only differences mean anything.
type counters struct {
	at           time.Time
	cpus         int           // on which this process may run; 0: the system does not report them
	busy, stolen time.Duration // of these CPUs
	// CPU time of this process and of the children that it has waited for
	own       time.Duration
	throttled time.Duration // by the quota of the cgroups of this process
}

// since returns what was taken after the earlier counters. The later ones are read after the
// process has been waited for, or its own time would count as that of others.
func (c counters) since(earlier counters) Taken {
	t := Taken{Wall: c.at.Sub(earlier.at)}
	if c.cpus == 0 || earlier.cpus == 0 || t.Wall <= 0 {
		return t
	}
	t.Known, t.CPUs, t.Own = true, c.cpus, c.own-earlier.own
	t.Others = max(0, c.busy-earlier.busy-t.Own)
	t.Stolen = max(0, c.stolen-earlier.stolen)
	t.Throttled = max(0, c.throttled-earlier.throttled)
	return t
}

// The counters have a resolution of 10 ms for each CPU. What is below these may be an error of
// theirs.
const (
	noisyShare   = 0.05
	noisyAtLeast = 50 * time.Millisecond
)

// Noisy reports whether the background load was high: other processes used more than a twentieth of
// the CPUs, more than a twentieth of the time was stolen, or the quota stopped it at all. Its
// results must be kept: to leave out what is slow would make everything look faster than it is.
func (t Taken) Noisy() bool {
	return t.Throttled > 0 || t.cpusOfOthers() > noisyShare*float64(t.CPUs) &&
		t.Others > noisyAtLeast || t.stolenShare() > noisyShare && t.Stolen > noisyAtLeast
}

// String returns half a sentence: "other processes used 0.8 of 2 CPUs, 12 % stolen".
func (t Taken) String() string {
	if !t.Known {
		return "this system does not report what other processes used"
	}
	text := fmt.Sprintf("other processes used %.1f of %d CPUs", t.cpusOfOthers(), t.CPUs)
	if share := t.stolenShare(); share >= 0.005 {
		text += fmt.Sprintf(", %.0f %% stolen", 100*share)
	}
	if t.Throttled > 0 {
		text += fmt.Sprintf(", throttled for %v", t.Throttled.Round(time.Millisecond))
	}
	return text
}

func (t Taken) plus(u Taken) Taken {
	return Taken{t.Known || u.Known, max(t.CPUs, u.CPUs), t.Wall + u.Wall, t.Own + u.Own,
		t.Others + u.Others, t.Stolen + u.Stolen, t.Throttled + u.Throttled}
}

func (t Taken) cpusOfOthers() float64 { return float64(t.Others) / float64(max(1, t.Wall)) }

// stolenShare is relative to the time for which there was work.
func (t Taken) stolenShare() float64 {
	return float64(t.Stolen) / float64(max(1, t.Own+t.Others+t.Stolen))
}
