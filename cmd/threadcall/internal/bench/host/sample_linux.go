package host

import (
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// tick is the unit of /proc/stat, whatever the kernel's own is.
const tick = 10 * time.Millisecond

// sample reads all counters, which takes less than a millisecond on a machine with few CPUs.
func (m Machine) sample() sample {
	s := sample{at: m.time(), own: m.ownTime(), cpus: map[int]cpuTime{}}
	ours := m.cpus()
	for line := range strings.Lines(m.text("proc/stat")) {
		f := strings.Fields(line)
		if len(f) < 9 || !strings.HasPrefix(f[0], "cpu") {
			continue
		}
		cpu, err := strconv.Atoi(f[0][len("cpu"):])
		if err != nil {
			continue
		}
		if ours.Has(cpu) {
			s.ours = append(s.ours, cpu)
		}
		// The fields are user nice system idle iowait irq softirq steal guest guest_nice; user and nice include the last two.
		var t cpuTime
		for i, text := range f[1:9] {
			n, _ := strconv.ParseInt(text, 10, 64)
			switch spent := time.Duration(n) * tick; i {
			case 3, 4:
			case 7:
				t.stolen = spent
			default:
				t.busy += spent
			}
		}
		s.cpus[cpu] = t
	}
	s.known = len(s.ours) > 0
	s.throttled = m.throttled()
	s.cooled = m.cooled()
	s.waited, s.stalled = m.pressure("cpu").total, m.pressure("memory").total
	vm := m.fields("proc/vmstat")
	s.swapped = vm["pswpin"] + vm["pswpout"]
	return s
}

func (m Machine) ownTime() time.Duration {
	if m.usage != nil {
		return m.usage()
	}
	var sum time.Duration
	for _, who := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(who, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// A pressure is the kernel's measure of how much waits for a resource (PSI).
type pressure struct {
	known bool
	avg60 float64       // percent of the last minute in which some thread waited
	total time.Duration // since the machine started
}

func (m Machine) pressure(of string) pressure {
	for line := range strings.Lines(m.text("proc/pressure/" + of)) {
		f := strings.Fields(line)
		if len(f) == 0 || f[0] != "some" {
			continue
		}
		p := pressure{known: true}
		for _, field := range f[1:] {
			name, value, _ := strings.Cut(field, "=")
			switch name {
			case "avg60":
				p.avg60, _ = strconv.ParseFloat(value, 64)
			case "total":
				us, _ := strconv.ParseInt(value, 10, 64)
				p.total = time.Duration(us) * time.Microsecond
			}
		}
		return p
	}
	return pressure{}
}

// cooled returns how often a core or a processor was slowed down because it was hot. Where CPUs share a counter it counts
// once.
func (m Machine) cooled() int {
	sum := 0
	for _, c := range []struct{ counter, shared string }{
		{"thermal_throttle/core_throttle_count", "topology/thread_siblings_list"},
		{"thermal_throttle/package_throttle_count", "topology/physical_package_id"},
	} {
		counts, groups := m.eachNumber(c.counter), m.each(c.shared)
		largest := map[string]int{}
		for cpu, n := range counts {
			group := groups[cpu]
			if group == "" {
				group = "cpu " + strconv.Itoa(cpu)
			}
			largest[group] = max(largest[group], n)
		}
		for _, n := range largest {
			sum += n
		}
	}
	return sum
}
