package machine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestTheCountersOfThisSystemAreKnown(t *testing.T) {
	if got := NewWatch().Begin().End(); !got.Known || got.CPUs == 0 {
		t.Errorf("%+v", got)
	}
}

// files are those of a machine by name.
type files map[string]string

// stat is the text of /proc/stat after so many ticks of work, and stolen ones, of each of four CPUs.
func stat(busy, stolen [4]int) string {
	text := "cpu  1 2 3 4 5 6 7 8 9 10\n"
	for cpu := range busy {
		// User and nice have those of guests in them; irq and softirq are work, iowait is none.
		text += fmt.Sprintf("cpu%d %d 100 100 5000 700 100 100 %d 50 60\n", cpu, 1000+busy[cpu], 200+stolen[cpu])
	}
	return text + "intr 1 2 3\n"
}

// A fake is a machine with four CPUs of which the files change when step is called, which takes a second.
type fake struct {
	*Watch
	step func()
	used time.Duration
}

func newFake(before, after files) *fake {
	f := &fake{Watch: &Watch{}}
	all := fstest.MapFS{}
	write := func(change files) {
		for name, text := range change {
			all[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	write(files{"proc/stat": stat([4]int{}, [4]int{}), "proc/self/cgroup": "0::/user.slice/session\n"})
	write(before)
	now := time.Unix(1e9, 0)
	f.step = func() {
		now = now.Add(time.Second)
		write(after)
	}
	f.system = system{all, func(int) bool { return true }, func() time.Time { return now }, func() time.Duration { return f.used }}
	return f
}

func TestWhatIsTakenFromAProcess(t *testing.T) {
	const ms = time.Millisecond
	load := func(busy ...int) files { return files{"proc/stat": stat([4]int(busy), [4]int{})} }
	for _, c := range []struct {
		name  string
		own   time.Duration
		after files
		want  Taken
		noisy bool
		text  string
	}{
		{"nothing", 0, nil, Taken{}, false, "other processes used 0.0 of 4 CPUs"},
		{"own work", 900 * ms, load(90, 0, 0, 0), Taken{Own: 900 * ms}, false, "other processes used 0.0 of 4 CPUs"},
		{"more own work than the ticks show", 950 * ms, load(90, 0, 0, 0), Taken{Own: 950 * ms}, false, "other processes used 0.0 of 4 CPUs"},
		{"others", 900 * ms, load(90, 50, 0, 0), Taken{Own: 900 * ms, Others: 500 * ms}, true, "other processes used 0.5 of 4 CPUs"},
		{"a little of others", 900 * ms, load(90, 15, 0, 0), Taken{Own: 900 * ms, Others: 150 * ms}, false, "other processes used 0.1 of 4 CPUs"},
		{"stolen", 900 * ms, files{"proc/stat": stat([4]int{90}, [4]int{10})}, Taken{Own: 900 * ms, Stolen: 100 * ms}, true,
			"other processes used 0.0 of 4 CPUs, 10 % stolen"},
		{"little stolen, of little", 10 * ms, files{"proc/stat": stat([4]int{1}, [4]int{1})}, Taken{Own: 10 * ms, Stolen: 10 * ms}, false,
			"other processes used 0.0 of 4 CPUs, 50 % stolen"},
		{"throttled", 0, files{"sys/fs/cgroup/user.slice/cpu.stat": "nr_throttled 1\nthrottled_usec 30000\n"}, Taken{Throttled: 30 * ms}, true,
			"other processes used 0.0 of 4 CPUs, throttled for 30ms"},
		{"counters that go back", 0, files{"proc/stat": "cpu0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0\ncpu2 0 0 0 0 0 0 0 0\ncpu3 0 0 0 0 0 0 0 0\n"},
			Taken{}, false, "other processes used 0.0 of 4 CPUs"},
	} {
		f := newFake(nil, c.after)
		span := f.Begin()
		f.used += c.own
		f.step()
		got := span.End()
		c.want.Known, c.want.CPUs, c.want.Wall = true, 4, time.Second
		if got != c.want || got.Noisy() != c.noisy || got.String() != c.text {
			t.Errorf("%s: %+v (%v), noisy %v", c.name, got, got, got.Noisy())
		}
	}
}

func TestOnlyTheCPUsOfThisProcessCount(t *testing.T) {
	f := newFake(nil, files{"proc/stat": stat([4]int{100, 100, 0, 3}, [4]int{})})
	f.system.may = func(cpu int) bool { return cpu >= 2 }
	span := f.Begin()
	f.step()
	if got := span.End(); got.CPUs != 2 || got.Others != 30*time.Millisecond {
		t.Errorf("%+v", got)
	}
}

// find returns the finding of that name, or an empty one.
func find(all []Finding, name string) Finding {
	if i := slices.IndexFunc(all, func(f Finding) bool { return f.Name == name }); i >= 0 {
		return all[i]
	}
	return Finding{}
}

func TestFindingsDuringARun(t *testing.T) {
	idle, load := files{}, files{"proc/stat": stat([4]int{100, 100}, [4]int{})}
	for _, c := range []struct {
		name          string
		first, second files
		finding       string
		level         Level
		value         string
	}{
		{"none", idle, idle, "noisy", Fine, "0 of 2 processes"},
		{"none", idle, idle, "other processes", "", ""},
		{"load", load, idle, "noisy", Warning, "1 of 2 processes"},
		{"load", load, idle, "other processes", Note, "1.0 of 4 CPUs"},
		{"stolen", files{"proc/stat": stat([4]int{60}, [4]int{20})}, idle, "stolen time", Warning, "25 %"},
		{"throttled", files{"sys/fs/cgroup/cpu.stat": "throttled_usec 2000000\n"}, idle, "quota", Warning, "stopped threads for 2s"},
		{"unknown", files{"proc/stat": ""}, idle, "noisy", Note, "1 of 2 processes"},
	} {
		f := newFake(nil, c.first)
		if c.name == "unknown" {
			f, c.value = newFake(c.first, nil), "not known"
		}
		for range 2 {
			span := f.Begin()
			f.step()
			span.End()
		}
		if got := find(f.During(), c.finding); got.Level != c.level || got.Value != c.value {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestFindingsBeforeARun(t *testing.T) {
	t.Setenv("GOMAXPROCS", "1")
	const policy = "sys/devices/system/cpu/cpufreq/policy0/"
	frequency := func(governor, low, high string) files {
		return files{policy + "scaling_governor": governor, policy + "scaling_min_freq": low, policy + "scaling_max_freq": high}
	}
	v1 := func(quota string) files {
		return files{"proc/self/cgroup": "3:cpu,cpuacct:/x\n", "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": quota,
			"sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000"}
	}
	for _, c := range []struct {
		before, after files
		procs         []int
		finding       string
		level         Level
		value         string
	}{
		{nil, nil, nil, "other processes", Fine, "0.0 of 4 CPUs"},
		{nil, files{"proc/stat": stat([4]int{20}, [4]int{})}, nil, "other processes", Note, "0.2 of 4 CPUs"},
		{nil, files{"proc/stat": stat([4]int{100, 20}, [4]int{})}, nil, "other processes", Warning, "1.2 of 4 CPUs"},
		{files{"proc/stat": "nonsense"}, nil, nil, "other processes", Note, "not known"},
		{nil, files{"proc/stat": stat([4]int{30}, [4]int{10})}, nil, "stolen time", Warning, "25 %"},
		{nil, nil, []int{1, 10000}, "CPUs", Warning, "for 10000 threads"},
		{nil, nil, []int{1}, "CPUs", Fine, ""},
		{nil, nil, nil, "governor", Note, "no cpufreq"},
		{frequency("powersave", "1", "2"), nil, nil, "governor", Warning, "powersave"},
		{frequency("performance", "1", "2"), nil, nil, "governor", Fine, "performance"},
		{frequency("powersave", "2", "2"), nil, nil, "governor", Fine, "powersave, fixed frequency"},
		{files{"sys/fs/cgroup/user.slice/cpu.max": "50000 100000\n"}, nil, nil, "quota", Warning, "0.5 CPUs"},
		{files{"sys/fs/cgroup/cpu.max": "max 100000\n"}, nil, nil, "quota", "", ""},
		{v1("50000\n"), nil, nil, "quota", Warning, "0.5 CPUs"},
		{v1("800000\n"), nil, nil, "quota", Fine, "8 CPUs"},
		{v1("-1\n"), nil, nil, "quota", "", ""},
	} {
		f := newFake(c.before, nil)
		begin, now := f.system.now(), f.system.now
		looks := 0
		f.system.now = func() time.Time { // the second look comes after the change
			if looks++; looks == 2 {
				g := newFake(c.before, c.after)
				g.step()
				maps.Copy(f.system.files.(fstest.MapFS), g.system.files.(fstest.MapFS))
				return begin.Add(time.Second)
			}
			return now()
		}
		all := f.Before(t.Context(), 0, c.procs)
		if got := find(all, c.finding); got.Level != c.level || !strings.Contains(got.Value, c.value) ||
			(got.Level == Note || got.Level == Warning) && got.Meaning == "" {
			t.Errorf("%v, %v: %+v", c.before, c.after, got)
		}
	}
}
