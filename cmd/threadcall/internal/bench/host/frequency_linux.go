package host

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const cpuDir = "sys/devices/system/cpu"

// governor tells who decides about the CPUs' frequency.
func (v view) governor() []Finding {
	names := values(v.each("cpufreq/scaling_governor"))
	if len(names) == 0 {
		meaning := "This system does not tell or set the frequency of its CPUs. They may be slowed down and sped up unseen."
		if v.hypervisor() != "" {
			meaning = "The frequency is the host's business, and not seen from this virtual machine. It may change " +
				"at any time."
		}
		return one(Note, "governor", "no cpufreq", meaning)
	}
	governor, drivers := strings.Join(names, ", "), values(v.each("cpufreq/scaling_driver"))
	value := governor
	if len(drivers) > 0 {
		value += " (" + strings.Join(drivers, ", ") + ")"
	}
	switch {
	case len(v.fixed()) > 0:
		return one(Fine, "governor", value+", fixed at "+strings.Join(v.fixed(), " and "), "")
	case governor == "performance":
		return one(Fine, "governor", value, "")
	}
	return one(Warning, "governor", value, "The frequency follows the load, so the first rounds, and short ones, "+
		"are slower. As root, -cpufreq 90 fixes it for the run; the governor performance helps as well.")
}

// fixed returns the frequencies of the CPUs, if each has only one that it may run at.
func (v view) fixed() []string {
	low, high := v.eachNumber("cpufreq/scaling_min_freq"), v.eachNumber("cpufreq/scaling_max_freq")
	for cpu, f := range low {
		if high[cpu] != f {
			return nil
		}
	}
	var all []string
	for _, f := range values(low) {
		all = append(all, hertz(f))
	}
	return all
}

// turbo tells whether CPUs may run faster than they can for long.
func (v view) turbo() []Finding {
	on, known := false, false
	if n, ok := v.number(cpuDir + "/intel_pstate/no_turbo"); ok {
		on, known = n == 0, true
	}
	boosts := append(values(v.each("cpufreq/boost")), v.text(cpuDir+"/cpufreq/boost"))
	if !known {
		on, known = slices.Contains(boosts, "1"), strings.Join(boosts, "") != ""
	}
	switch {
	case !known:
		return nil
	case !on:
		return one(Fine, "turbo", "off", "")
	case len(v.fixed()) > 0:
		return one(Note, "turbo", "on", "If the fixed frequency is above the base frequency, the processor leaves "+
			"it when it gets hot or when more cores work.")
	}
	how := "echo 1 > /" + path.Join(cpuDir, "intel_pstate/no_turbo")
	if !v.exists(cpuDir + "/intel_pstate/no_turbo") {
		how = "echo 0 > /" + path.Join(cpuDir, "cpufreq/boost")
	}
	return one(Note, "turbo", "on", fmt.Sprintf("The frequency depends on how hot the processor is and on how many "+
		"cores work, so it falls during a long run. As root, -cpufreq with a low enough value avoids it, as does "+
		"%q.", how))
}

// frequency tells how fast the CPUs run at the moment.
func (v view) frequency() []Finding {
	now := values(v.eachNumber("cpufreq/scaling_cur_freq"))
	if len(now) == 0 {
		return nil
	}
	low, high := now[0], now[len(now)-1]
	if low == high {
		return one(Fine, "frequency", hertz(low), "")
	}
	if float64(high) < 1.05*float64(low) {
		return one(Fine, "frequency", hertz(low)+" to "+hertz(high), "")
	}
	return one(Note, "frequency", hertz(low)+" to "+hertz(high), "CPUs run at different frequencies now. Idle ones "+
		"may be slow; what counts is the frequency during the run.")
}

// fastest returns the frequency of the fastest of our CPUs, in kHz: that of the one which has just worked. It is 0 if the
// system does not tell.
func (m Machine) fastest() int {
	all := values(m.eachNumber("cpufreq/scaling_cur_freq"))
	if len(all) == 0 {
		return 0
	}
	return all[len(all)-1]
}
