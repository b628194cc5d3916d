package host

import (
	"fmt"
	"strings"
)

// others tells what other processes used while this one did nothing.
func (v view) others() []Finding {
	if !v.Known {
		return one(Note, "other processes", "unknown", "The system does not tell what its CPUs do.")
	}
	value := fmt.Sprintf("%.1f of %d CPUs", v.Others, v.CPUs)
	if names := busiest(v.earlier, v.later, v.Wall); len(names) > 0 {
		value += ": " + strings.Join(names, ", ")
	}
	switch share := v.Others / float64(v.CPUs); {
	case share > 0.2:
		return one(Warning, "other processes", value, "Benchmarks share CPUs, caches and memory with them, and get "+
			"slower and less steady. End them, or measure later.")
	case share > 0.03:
		return one(Note, "other processes", value, "They add some spread. Old and new, measured in turns, both have it.")
	}
	return one(Fine, "other processes", value, "")
}

// benchmarks tells about other people's.
func (v view) benchmarks() []Finding {
	rivals := v.rivals()
	if len(rivals) == 0 {
		return one(Fine, "other benchmarks", "none seen", "")
	}
	return one(Warning, "other benchmarks", "running: "+join(rivals), "They were started without the lock that "+
		"threadcall bench takes, and both results suffer. Wait until they have ended.")
}

// stealing tells what the hypervisor gave to others.
func (v view) stealing() []Finding {
	value := fmt.Sprintf("%.0f %%", 100*v.Stolen)
	switch {
	case !v.Known || v.hypervisor() == "" && v.Stolen == 0:
		return nil
	case v.Stolen > markShare:
		return one(Warning, "stolen time", value, "The hypervisor runs other machines when this one has work to "+
			"do. Nothing here can prevent it: use more rounds, or another machine.")
	}
	return one(Fine, "stolen time", value, "")
}

// waiting tells how often threads waited for a CPU.
func (v view) waiting() []Finding {
	p := v.pressure("cpu")
	if !p.known || v.Wall <= 0 {
		return nil
	}
	share := float64(v.after.waited-v.before.waited) / float64(v.Wall)
	value := fmt.Sprintf("%.0f %% of the time, %.0f %% in the last minute", 100*share, p.avg60)
	if share > 0.1 {
		return one(Warning, "waiting for CPU", value, "Some thread of another process wanted a CPU and had none, "+
			"before the benchmarks even began. They will wait, too.")
	}
	return one(Fine, "waiting for CPU", value, "")
}
