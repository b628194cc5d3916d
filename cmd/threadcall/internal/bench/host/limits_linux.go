package host

import (
	"fmt"
	"slices"
	"time"
)

// limits tells about the cgroup's quota of CPU time.
func (v view) limits() []Finding {
	lowest, limited := 0.0, false
	for _, g := range v.cgroups() {
		if q, ok := v.quota(g); ok && (!limited || q < lowest) {
			lowest, limited = q, true
		}
	}
	if !limited {
		return nil
	}
	value := fmt.Sprintf("%.2g CPUs", lowest)
	switch {
	case v.after.throttled > v.before.throttled:
		return one(Warning, "quota", value+", used up now", "The cgroup that this process is in may use no more, "+
			"and its threads are stopped for the rest of each period, up to 100 ms. Nothing short can be measured "+
			"like that; raise the quota.")
	case lowest < float64(len(v.cpus())):
		return one(Warning, "quota", value, "The cgroup that this process is in may use no more CPU time. A "+
			"benchmark that uses more is stopped for the rest of each period, up to 100 ms. Use fewer threads "+
			"(-cpu), or raise the quota.")
	}
	return one(Fine, "quota", value, "")
}

// heat tells whether the processor was slowed down because it was hot.
func (v view) heat() []Finding {
	if len(v.each("thermal_throttle/core_throttle_count")) == 0 {
		return nil
	}
	total := v.after.cooled
	switch {
	case v.Cooled > 0:
		return one(Warning, "heat", fmt.Sprintf("slowed down %d times just now", v.Cooled),
			"The processor is too hot to run at its frequency. Let it cool, and use -cpufreq with a lower value.")
	case total > 0:
		return one(Note, "heat", fmt.Sprintf("slowed down %d times since the start", total),
			"The processor has been too hot at times. If it happens during the run, it will be said.")
	}
	return one(Fine, "heat", "never slowed down", "")
}

// memory tells whether memory is scarce.
func (v view) memory() []Finding {
	m := v.fields("proc/meminfo") // kB
	if m["MemTotal"] == 0 {
		return nil
	}
	value := fmt.Sprintf("%.1f of %.1f GB available", float64(m["MemAvailable"])/1e6, float64(m["MemTotal"])/1e6)
	swapped := v.after.swapped - v.before.swapped
	switch stalled := v.after.stalled - v.before.stalled; {
	case swapped > 0 || stalled > 10*time.Millisecond:
		return one(Warning, "memory", fmt.Sprintf("%s, %d pages swapped now", value, swapped),
			"Memory is scarce: processes wait for it, and benchmarks will. End some.")
	case m["MemAvailable"]*20 < m["MemTotal"]:
		return one(Warning, "memory", value, "Hardly any memory is left. A benchmark that needs more than that "+
			"will swap, or be killed.")
	}
	return one(Fine, "memory", value, "")
}

// clock tells what a look at the time costs.
func (v view) clock() []Finding {
	source := v.text("sys/devices/system/clocksource/clocksource0/current_clocksource")
	slow := []string{"hpet", "acpi_pm", "pit", "jiffies", "refined-jiffies", "xen"}
	switch {
	case source == "":
		return nil
	case slices.Contains(slow, source):
		return one(Warning, "clock", source, "Each look at the clock is a system call, up to a microsecond and "+
			"more. Benchmarks that use timers or time.Now are slow.")
	}
	return one(Fine, "clock", source, "")
}
