package measure

import (
	"fmt"
	"time"
)

// Taken is what was taken from the benchmarks, on the CPUs on which they could run: CPU time that
// other processes used, or that the hypervisor gave to other machines. Times of several CPUs are
// summed. The counters are those of Linux.
type Taken struct {
	// if not, the system does not report it, and the rest is zero
	Known bool          `json:"known"`
	CPUs  int           `json:"cpus"`
	Wall  time.Duration `json:"wall"` // how long the rounds took
	Own   time.Duration `json:"own"`  // CPU time of the benchmarks, and of this process
	// CPU time of all else, kernel threads and interrupts included
	Others time.Duration `json:"others"`
	// there was work and the hypervisor ran other machines
	Stolen time.Duration `json:"stolen"`
}

// counters are those of the system at a moment. Only differences mean anything.
type counters struct {
	at           time.Time
	cpus         int           // on which this process may run; 0: the system does not report them
	busy, stolen time.Duration // of these CPUs
	own          time.Duration // of this process and of the children that it has waited for
}

// since returns what was taken after the earlier counters.
func (c counters) since(earlier counters) Taken {
	t := Taken{Wall: c.at.Sub(earlier.at)}
	if c.cpus == 0 || earlier.cpus == 0 || t.Wall <= 0 {
		return t
	}
	t.Known, t.CPUs, t.Own = true, c.cpus, c.own-earlier.own
	t.Others = max(0, c.busy-earlier.busy-t.Own)
	t.Stolen = max(0, c.stolen-earlier.stolen)
	return t
}

// String returns half a sentence: "other processes used 0.8 of 2 CPUs, 12 % stolen". What is stolen
// is relative to the time for which there was work.
func (t Taken) String() string {
	if !t.Known {
		return "this system does not report what other processes used"
	}
	text := fmt.Sprintf("other processes used %.1f of %d CPUs", float64(t.Others)/float64(t.Wall),
		t.CPUs)
	if share := float64(t.Stolen) / float64(max(1, t.Own+t.Others+t.Stolen)); share >= 0.005 {
		text += fmt.Sprintf(", %.0f %% stolen", 100*share)
	}
	return text
}
