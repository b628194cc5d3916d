package host

import (
	"fmt"
	"os"
	"slices"
	"strconv"
)

// room tells on how many CPUs benchmarks can run, and whether they want more.
func (v view) room() []Finding {
	cpus := v.cpus()
	if len(cpus) == 0 {
		return one(Note, "CPUs", "unknown", "The system does not tell on which CPUs this process may run.")
	}
	value := fmt.Sprintf("%d (%v)", len(cpus), cpus)
	threads := v.threads()
	switch {
	case threads > len(cpus):
		return one(Warning, "CPUs", fmt.Sprintf("%s for %d threads", value, threads), fmt.Sprintf(
			"Benchmarks with %d threads share %d CPUs: the threads wait for each other, and the figures say "+
				"nothing about a machine that has %[1]d. Use -cpu up to %[2]d.", threads, len(cpus)))
	case len(cpus) == 1 && v.Pin == nil:
		return one(Note, "CPUs", value, "There is only one: the collector, this tool and all else run on it, too.")
	}
	return one(Fine, "CPUs", value, "")
}

// threads returns how many threads a benchmark will run at the same time; 0 is as many as there are CPUs.
func (m Machine) threads() int {
	if len(m.Procs) > 0 {
		return slices.Max(m.Procs)
	}
	n, _ := strconv.Atoi(os.Getenv("GOMAXPROCS"))
	return n
}

// pinning tells what the choice of CPUs does.
func (v view) pinning() []Finding {
	if v.Pin == nil {
		return nil
	}
	meaning := "Threads do not move between CPUs, so the spread is often smaller. The collector has only these CPUs, too."
	if len(v.Pin) == 1 {
		meaning = "Threads do not move between CPUs, so the spread of a benchmark with one goroutine is often " +
			"smaller. The collector has no other CPU: a benchmark that allocates looks slower, and one with " +
			"several goroutines measures something else."
	}
	all := one(Note, "pinned", "to "+v.Pin.String(), meaning)
	if cpu, busy := v.busySibling(); busy > 0.05 {
		all = append(all, Finding{"sibling", fmt.Sprintf("CPU %d is %.0f %% busy", cpu, 100*busy),
			"It shares a core with one that benchmarks are pinned to, and takes up to half of that core away. Pin " +
				"to others.", Warning})
	}
	if v.Pin.Has(0) && len(v.available().without(v.Pin)) > 0 {
		all = append(all, Finding{"CPU 0", "benchmarks are pinned to it", "On most machines it handles more " +
			"interrupts than the others. Pin to another, if there is a choice.", Note})
	}
	return all
}

// busySibling returns the busiest of the CPUs that share a core with a pinned one, without being pinned, and how busy it
// was, 0 to 1.
func (v view) busySibling() (cpu int, busy float64) {
	for _, list := range v.each("topology/thread_siblings_list") {
		group, err := ParseCPUs(list)
		if err != nil {
			continue
		}
		for _, c := range group.without(v.Pin) {
			if b := float64(v.after.cpus[c].busy-v.before.cpus[c].busy) / float64(v.Wall); b > busy {
				cpu, busy = c, b
			}
		}
	}
	return cpu, busy
}

// cores tells whether all CPUs are alike.
func (v view) cores() []Finding {
	if len(v.cpus()) < 2 {
		return nil
	}
	// Linux gives the largest a capacity of 1024 on some processors, and only different top frequencies on others. Those of
	// like cores differ by some percent, too, where a processor prefers its best.
	capacity, top := values(v.eachNumber("cpu_capacity")), values(v.eachNumber("cpufreq/cpuinfo_max_freq"))
	unlike := func(n []int) bool { return len(n) > 1 && 10*n[0] < 8*n[len(n)-1] }
	switch {
	case unlike(capacity):
		return one(Warning, "cores", fmt.Sprintf("of %d kinds", len(capacity)), "They are not equally fast, and "+
			"the scheduler moves threads between them. Pin to some that are alike with -pin.")
	case unlike(top):
		return one(Warning, "cores", fmt.Sprintf("up to %s, others up to %s", hertz(top[len(top)-1]), hertz(top[0])),
			"They are not equally fast, and the scheduler moves threads between them. Pin to some that are alike "+
				"with -pin.")
	}
	var nodes int
	for _, name := range v.list("sys/devices/system/node", "node") {
		if list, err := ParseCPUs(v.text("sys/devices/system/node/" + name + "/cpulist")); err == nil &&
			slices.ContainsFunc(v.cpus(), list.Has) {
			nodes++
		}
	}
	if nodes > 1 {
		return one(Note, "NUMA", fmt.Sprintf("%d nodes", nodes), "Memory of another node is slower, and where "+
			"threads and memory come to lie differs from run to run. Pin to the CPUs of one node with -pin.")
	}
	return nil
}

// siblings tells about CPUs that share a core (SMT, Hyper-Threading).
func (v view) siblings() []Finding {
	shared := false
	for _, list := range v.each("topology/thread_siblings_list") {
		group, err := ParseCPUs(list)
		shared = shared || err == nil && len(group) > 1
	}
	active, known := v.number("sys/devices/system/cpu/smt/active")
	switch {
	case shared && (active == 1 || !known):
		meaning := "Two threads on the CPUs of one core slow each other down, so a figure depends on where the " +
			"scheduler puts them. Pinning to one CPU of each core helps (-pin), as does an otherwise idle machine."
		return one(Note, "SMT", "on", meaning)
	case known || len(v.cpus()) > 0 && len(v.each("topology/thread_siblings_list")) > 0:
		if len(v.virtual()) > 0 && !shared {
			return one(Note, "SMT", "not seen", "A virtual machine does not always know which of its CPUs share a core.")
		}
		return one(Fine, "SMT", "off", "")
	}
	return nil
}
