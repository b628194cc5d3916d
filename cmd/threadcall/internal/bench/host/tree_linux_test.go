package host

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// A tree is what is in the files of a machine. An empty file is one that is not there.
type tree map[string]string

// desktop is a real machine with four CPUs that does nothing, set as a measurement wants it.
func desktop() tree {
	t := tree{
		"proc/self/status":    "Name:\tx\nCpus_allowed:\tf\nCpus_allowed_list:\t0-3\n",
		"proc/self/cgroup":    "0::/user.slice/session\n",
		"proc/self/mountinfo": "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw\n",
		"proc/stat":           stat(0, 0, 0, 0),
		"proc/cpuinfo":        "processor\t: 0\nvendor_id\t: GenuineIntel\nflags\t\t: fpu vme ht\n",
		"proc/meminfo":        "MemTotal:       16000000 kB\nMemFree: 1000 kB\nMemAvailable:   12000000 kB\n",
		"proc/vmstat":         "pswpin 5\npswpout 5\n",
		"proc/pressure/cpu":   "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n",

		"sys/devices/system/cpu/smt/active":                               "0\n",
		"sys/devices/system/cpu/intel_pstate/no_turbo":                    "1\n",
		"sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc\n",
		"sys/devices/system/node/node0/cpulist":                           "0-3\n",
		"sys/class/power_supply/AC/type":                                  "Mains\n",
		"sys/class/power_supply/AC/online":                                "1\n",
		"proc/1/stat":                                                     process(1, 0, "init", 0),
	}
	for cpu := range 4 {
		for file, text := range map[string]string{
			"topology/thread_siblings_list": fmt.Sprint(cpu), "topology/physical_package_id": "0",
			"cpufreq/scaling_governor": "performance", "cpufreq/scaling_driver": "intel_pstate",
			"cpufreq/scaling_min_freq": "800000", "cpufreq/scaling_max_freq": "3400000", "cpufreq/cpuinfo_max_freq": "3400000",
			"cpufreq/scaling_cur_freq":             "3400000",
			"thermal_throttle/core_throttle_count": "0", "thermal_throttle/package_throttle_count": "0",
		} {
			t[cpuFile(cpu, file)] = text + "\n"
		}
	}
	return t
}

func cpuFile(cpu int, file string) string {
	return fmt.Sprintf("sys/devices/system/cpu/cpu%d/%s", cpu, file)
}

// everywhere is a file of each of the four CPUs.
func everywhere(file, text string) tree {
	t := tree{}
	for cpu := range 4 {
		t[cpuFile(cpu, file)] = text
	}
	return t
}

// stat is the text of /proc/stat after so many ticks of work of each CPU.
func stat(busy ...int) string { return statStolen(busy, make([]int, len(busy))) }

func statStolen(busy, stolen []int) string {
	var b strings.Builder
	fmt.Fprintln(&b, "cpu  1 2 3 4 5 6 7 8 9 10")
	for cpu := range busy {
		// User and nice have those of guests in them; irq and softirq are work, iowait is none.
		fmt.Fprintf(&b, "cpu%d %d 100 100 %d %d 100 100 %d 50 60\n", cpu, 1000+busy[cpu], 5000+busy[cpu], 700+busy[cpu],
			200+stolen[cpu])
	}
	fmt.Fprintln(&b, "intr 1 2 3\nctxt 5")
	return b.String()
}

// process is the text of a process's stat file.
func process(pid, parent int, name string, ticks int) string {
	return fmt.Sprintf("%d (%s) S %d 1 1 0 -1 0 0 0 0 0 %d 0 900 900 20 0 1 0 77 0 0\n", pid, name, parent, ticks)
}

func with(trees ...tree) tree {
	all := tree{}
	for _, t := range trees {
		maps.Copy(all, t)
	}
	return all
}

func (tr tree) write(files fstest.MapFS) {
	for name, text := range tr {
		files[name] = &fstest.MapFile{Data: []byte(text)}
		if text == "" {
			delete(files, name)
		}
	}
}

// self is this process in a tree.
const self = 4242

// machine is one that changes from one tree to the other while Look waits, which is a second, or when step is called.
func machine(t *testing.T, before, change tree) (m Machine, step func()) {
	t.Helper()
	files := fstest.MapFS{}
	m = Machine{FS: files, self: self}
	with(desktop(), before).write(files)
	now := time.Unix(1e9, 0)
	m.now = func() time.Time { return now }
	m.usage = func() time.Duration { return 0 }
	m.pause = func() {
		now = now.Add(time.Second)
		change.write(files)
	}
	return m, m.pause
}

func look(t *testing.T, before, change tree) []Finding {
	t.Helper()
	m, _ := machine(t, before, change)
	return m.Look(context.Background())
}

// find returns the finding of that name; its name is empty if there is none.
func find(all []Finding, name string) Finding {
	if i := slices.IndexFunc(all, func(f Finding) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return Finding{}
}
