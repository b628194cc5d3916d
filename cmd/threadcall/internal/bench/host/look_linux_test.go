package host

import (
	"context"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestAQuietMachineIsFine(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	seen := map[string]bool{}
	for _, f := range look(t, nil, nil) {
		if f.Level != Fine {
			t.Errorf("%+v", f)
		}
		if f.Name == "" || f.Value == "" || seen[f.Name] {
			t.Errorf("%+v", f)
		}
		seen[f.Name] = true
	}
	for _, want := range []string{"CPUs", "SMT", "governor", "turbo", "frequency", "other processes", "other benchmarks",
		"waiting for CPU", "heat", "power", "memory", "clock"} {
		if !seen[want] {
			t.Errorf("nothing about %s", want)
		}
	}
}

func TestFindings(t *testing.T) {
	t.Setenv("GOMAXPROCS", "")
	v2 := func(file, text string) tree { return tree{"sys/fs/cgroup/" + file: text} }
	for _, c := range []struct {
		name           string
		before, change tree
		finding        string
		level          Level
		value          string // part of it
	}{
		{"powersave", everywhere("cpufreq/scaling_governor", "powersave\n"), nil,
			"governor", Warning, "powersave (intel_pstate)"},
		{"two governors", tree{cpuFile(2, "cpufreq/scaling_governor"): "schedutil"}, nil,
			"governor", Warning, "performance, schedutil"},
		{"powersave, but fixed", with(everywhere("cpufreq/scaling_governor", "powersave"),
			everywhere("cpufreq/scaling_min_freq", "3000000"), everywhere("cpufreq/scaling_max_freq", "3000000")), nil,
			"governor", Fine, "fixed at 3.00 GHz"},
		{"no cpufreq", with(everywhere("cpufreq/scaling_governor", "")), nil, "governor", Note, "no cpufreq"},
		{"turbo", tree{"sys/devices/system/cpu/intel_pstate/no_turbo": "0"}, nil, "turbo", Note, "on"},
		{"boost", tree{"sys/devices/system/cpu/intel_pstate/no_turbo": "", "sys/devices/system/cpu/cpufreq/boost": "1"}, nil,
			"turbo", Note, "on"},
		{"boost off", tree{"sys/devices/system/cpu/intel_pstate/no_turbo": "", "sys/devices/system/cpu/cpufreq/boost": "0"}, nil,
			"turbo", Fine, "off"},
		{"a slow CPU", tree{cpuFile(3, "cpufreq/scaling_cur_freq"): "1200000"}, nil, "frequency", Note, "1.20 GHz to 3.40 GHz"},

		{"SMT", with(tree{"sys/devices/system/cpu/smt/active": "1"}, everywhere("topology/thread_siblings_list", "0-3")), nil,
			"SMT", Note, "on"},
		{"large and small cores", tree{cpuFile(3, "cpu_capacity"): "400", cpuFile(2, "cpu_capacity"): "1024"}, nil,
			"cores", Warning, "2 kinds"},
		{"fast and slow cores", tree{cpuFile(3, "cpufreq/cpuinfo_max_freq"): "2000000"}, nil,
			"cores", Warning, "3.40 GHz, others up to 2.00 GHz"},
		{"a preferred core", tree{cpuFile(3, "cpufreq/cpuinfo_max_freq"): "3600000"}, nil, "cores", Fine, ""},
		{"NUMA", tree{"sys/devices/system/node/node0/cpulist": "0-1", "sys/devices/system/node/node1/cpulist": "2-3"}, nil,
			"NUMA", Note, "2 nodes"},
		{"NUMA elsewhere", tree{"sys/devices/system/node/node1/cpulist": "4-7"}, nil, "NUMA", Fine, ""},
		{"one CPU", tree{"proc/self/status": "Cpus_allowed_list:\t2\n"}, nil, "CPUs", Note, "1 (2)"},
		{"no list", tree{"proc/self/status": "Name: x\n"}, nil, "CPUs", Note, "unknown"},

		{"load", nil, tree{"proc/stat": stat(100, 20, 0, 0)}, "other processes", Warning, "1.2 of 4 CPUs"},
		{"some load", nil, tree{"proc/stat": stat(20, 0, 0, 0)}, "other processes", Note, "0.2 of 4 CPUs"},
		{"load on CPUs that are not ours", tree{"proc/self/status": "Cpus_allowed_list:\t2-3\n"},
			tree{"proc/stat": stat(100, 100, 0, 0)}, "other processes", Fine, "0.0 of 2 CPUs"},
		{"load with names", tree{"proc/7/stat": process(7, 1, "old (one)", 500), "proc/8/stat": process(8, 1, "idle", 9)},
			tree{"proc/stat": stat(100, 60, 0, 0), "proc/7/stat": process(7, 1, "old (one)", 560),
				"proc/9/stat": process(9, 1, "new\x1b[1m", 100)},
			"other processes", Warning, "new?[1m (pid 9) 1.0, old (one) (pid 7) 0.6"},
		{"no stat", tree{"proc/stat": ""}, nil, "other processes", Note, "unknown"},
		{"stolen", nil, tree{"proc/stat": statStolen([]int{30, 0, 0, 0}, []int{10, 0, 0, 0})}, "stolen time", Warning, "25 %"},
		{"waiting", nil, tree{"proc/pressure/cpu": "some avg10=0.00 avg60=7.00 avg300=0.00 total=301000\n"},
			"waiting for CPU", Warning, "30 % of the time, 7 % in the last minute"},

		{"a quota", v2("user.slice/cpu.max", "150000 100000\n"), nil, "quota", Warning, "1.5 CPUs"},
		{"the lowest quota", with(v2("user.slice/cpu.max", "250000 100000\n"), v2("user.slice/session/cpu.max", "max 100000\n"),
			v2("cpu.max", "200000 100000")), nil, "quota", Warning, "2 CPUs"},
		{"a generous quota", v2("user.slice/cpu.max", "800000 100000\n"), nil, "quota", Fine, "8 CPUs"},
		{"a quota used up", with(v2("cpu.max", "800000 100000\n"), v2("cpu.stat", "nr_throttled 3\nthrottled_usec 100\n")),
			v2("cpu.stat", "nr_throttled 4\nthrottled_usec 50100\n"), "quota", Warning, "used up now"},
		{"no quota", v2("cpu.max", "max 100000\n"), nil, "quota", Fine, ""},
		{"a quota of version 1", tree{
			"proc/self/cgroup":                            "4:cpuset:/\n3:cpu,cpuacct:/docker/abc\n0::/\n",
			"proc/self/mountinfo":                         "31 30 0:27 /docker/abc /sys/fs/cgroup/cpu,cpuacct ro - cgroup cgroup rw,cpu,cpuacct\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us":  "50000\n",
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
		}, nil, "quota", Warning, "0.5 CPUs"},
		{"heat before", tree{cpuFile(1, "thermal_throttle/core_throttle_count"): "12"}, nil, "heat", Note, "12 times since"},
		{"heat now", nil, everywhere("thermal_throttle/package_throttle_count", "3"), "heat", Warning, "3 times just now"},

		{"other benchmarks", tree{"proc/70/stat": process(70, 1, "x.test", 0),
			"proc/70/cmdline": "/tmp/b001/x.test\x00-test.run=^$\x00-test.bench=.\x00"}, nil,
			"other benchmarks", Warning, "x.test (pid 70)"},
		{"other benchmarks with a blank", tree{"proc/70/stat": process(70, 1, "x.test", 0),
			"proc/70/cmdline": "x.test\x00--test.bench\x00.\x00"}, nil, "other benchmarks", Warning, "pid 70"},
		{"tests that are no benchmarks", tree{"proc/70/stat": process(70, 1, "x.test", 0),
			"proc/70/cmdline": "x.test\x00-test.bench=\x00-test.benchtime=1s\x00"}, nil, "other benchmarks", Fine, "none"},
		{"an editor of benchmarks", tree{"proc/70/stat": process(70, 1, "vi", 0), "proc/70/cmdline": "vi\x00test.bench\x00x\x00"}, nil,
			"other benchmarks", Fine, "none"},
		{"our own benchmarks", tree{"proc/4242/stat": process(self, 1, "threadcall", 0),
			"proc/70/stat": process(70, self, "sh", 0), "proc/71/stat": process(71, 70, "x.test", 0),
			"proc/71/cmdline": "x.test\x00-test.bench=.\x00"}, nil, "other benchmarks", Fine, "none"},

		{"a virtual machine", tree{"proc/cpuinfo": "vendor_id : x\nflags : fpu hypervisor\n", "sys/class/dmi/id/sys_vendor": "QEMU"}, nil,
			"virtual machine", Note, "QEMU"},
		{"an unknown one", tree{"proc/cpuinfo": "vendor_id : x\nflags : fpu hypervisor\n"}, nil, "virtual machine", Note, "unknown kind"},
		{"a real machine of Microsoft's", tree{"sys/class/dmi/id/sys_vendor": "Microsoft Corporation"}, nil, "virtual machine", Fine, ""},
		{"a virtual Arm", tree{"proc/cpuinfo": "processor : 0\nFeatures : fp\n", "sys/class/dmi/id/sys_vendor": "QEMU"}, nil,
			"virtual machine", Note, "QEMU"},
		{"Windows's Linux", tree{"proc/sys/kernel/osrelease": "5.15.90.1-microsoft-standard-WSL2"}, nil, "virtual machine", Note, "WSL"},
		{"a container", tree{".dockerenv": "x"}, nil, "container", Note, "Docker"},

		{"on battery", tree{"sys/class/power_supply/AC/online": "0", "sys/class/power_supply/BAT0/type": "Battery",
			"sys/class/power_supply/BAT0/status": "Discharging"}, nil, "power", Warning, "battery"},
		{"a mouse on battery", tree{"sys/class/power_supply/hid/type": "Battery", "sys/class/power_supply/hid/scope": "Device",
			"sys/class/power_supply/hid/status": "Discharging"}, nil, "power", Fine, "mains"},
		{"little memory", tree{"proc/meminfo": "MemTotal: 16000000 kB\nMemAvailable: 300000 kB\n"}, nil, "memory", Warning, "0.3 of 16.0 GB"},
		{"swapping", nil, tree{"proc/vmstat": "pswpin 5\npswpout 99\n"}, "memory", Warning, "94 pages"},
		{"a slow clock", tree{"sys/devices/system/clocksource/clocksource0/current_clocksource": "hpet"}, nil, "clock", Warning, "hpet"},
	} {
		t.Run(c.name, func(t *testing.T) {
			all := look(t, c.before, c.change)
			f := find(all, c.finding)
			if f.Level != c.level || !strings.Contains(f.Value, c.value) || c.value == "" && f.Name != "" {
				t.Errorf("%+v, want %v, %q", f, c.level, c.value)
			}
			if f.Level != Fine && (f.Meaning == "" || !strings.HasSuffix(f.Meaning, ".")) {
				t.Errorf("means %q", f.Meaning)
			}
		})
	}
}

func TestWhatThreadsWant(t *testing.T) {
	for _, c := range []struct {
		env   string
		procs []int
		pin   CPUs
		level Level
		value string
	}{
		{"", nil, nil, Fine, "4 (0-3)"},
		{"", []int{1, 4}, nil, Fine, "4 (0-3)"},
		{"", []int{8, 1}, nil, Warning, "4 (0-3) for 8 threads"},
		{"16", nil, nil, Warning, "for 16 threads"},
		{"16", []int{2}, nil, Fine, "4 (0-3)"},
		{"", []int{2}, CPUs{1}, Warning, "1 (1) for 2 threads"},
		{"", []int{2}, CPUs{1, 2}, Fine, "2 (1-2)"},
		{"", nil, CPUs{1}, Fine, "1 (1)"},
	} {
		t.Setenv("GOMAXPROCS", c.env)
		m, _ := machine(t, nil, nil)
		m.Procs, m.Pin = c.procs, c.pin
		if f := find(m.Look(context.Background()), "CPUs"); f.Level != c.level || !strings.Contains(f.Value, c.value) {
			t.Errorf("-cpu %v, GOMAXPROCS=%s, pinned to %v: %+v", c.procs, c.env, c.pin, f)
		}
	}
}

func TestPinning(t *testing.T) {
	smt := tree{"sys/devices/system/cpu/smt/active": "1"}
	for cpu, list := range []string{"0,2", "1,3", "0,2", "1,3"} {
		smt[cpuFile(cpu, "topology/thread_siblings_list")] = list
	}
	for _, c := range []struct {
		pin     CPUs
		busy    []int
		sibling string // part of what is found
		zero    bool
	}{
		{CPUs{1}, []int{0, 0, 0, 40}, "CPU 3 is 40 % busy", false},
		{CPUs{1}, []int{90, 90, 90, 0}, "", false},
		{CPUs{1, 3}, []int{90, 90, 90, 90}, "", false},
		{CPUs{0}, []int{0, 0, 0, 0}, "", true},
		{CPUs{0, 1, 2, 3}, []int{0, 0, 0, 0}, "", false},
	} {
		m, _ := machine(t, smt, tree{"proc/stat": stat(c.busy...)})
		m.Pin = c.pin
		all := m.Look(context.Background())
		if f := find(all, "sibling"); f.Value != c.sibling {
			t.Errorf("pinned to %v: %+v", c.pin, f)
		}
		if f := find(all, "pinned"); !strings.Contains(f.Value, c.pin.String()) {
			t.Errorf("%+v", f)
		}
		if f := find(all, "CPU 0"); (f.Name != "") != c.zero {
			t.Errorf("pinned to %v: %+v", c.pin, f)
		}
	}
}

func TestNonsenseInFilesIsNoFinding(t *testing.T) {
	garbage := tree{}
	for name := range desktop() {
		garbage[name] = "\xff\x00 -1 nonsense)( ((( : = 99999999999999999999\n"
	}
	garbage["proc/self/cgroup"] = "0::/../../..\n1:cpu:\n:::\n"
	for _, tr := range []tree{garbage, {"proc/stat": "cpu0\ncpu1 1 2\ncpux 1 2 3 4 5 6 7 8 9 10\n"}} {
		for _, f := range look(t, tr, nil) {
			if f.Level == Warning {
				t.Errorf("%+v", f)
			}
		}
	}
}

func TestAnEmptyMachineHasFindings(t *testing.T) {
	m := Machine{FS: fstest.MapFS{}, pause: func() {}}
	all := m.Look(context.Background())
	if len(all) == 0 {
		t.Error("none")
	}
	for _, f := range all {
		if f.Level == Warning {
			t.Errorf("%+v", f)
		}
	}
}

func TestLookEndsWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if all := (Machine{While: 24 * time.Hour}).Look(ctx); len(all) == 0 {
		t.Error("nothing found")
	}
}

func TestThisMachine(t *testing.T) {
	for _, f := range (Machine{While: 10 * time.Millisecond}).Look(t.Context()) {
		t.Logf("%v: %s: %s. %s", f.Level, f.Name, f.Value, f.Meaning)
		if f.Name == "" || f.Value == "" || f.Level != Fine && f.Meaning == "" {
			t.Errorf("%+v", f)
		}
	}
}
