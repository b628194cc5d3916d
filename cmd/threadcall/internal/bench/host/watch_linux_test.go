package host

import (
	"bufio"
	"fmt"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

func TestWhatIsTakenFromASpan(t *testing.T) {
	cgroup := "sys/fs/cgroup/user.slice/session/cpu.stat"
	for _, c := range []struct {
		name   string
		own    time.Duration
		change tree
		want   Disturbance
		marked bool
	}{
		{"nothing", 0, tree{"proc/stat": stat(0, 0, 0, 0)}, Disturbance{}, false},
		{"our own work", 900 * time.Millisecond, tree{"proc/stat": stat(90, 0, 0, 0)}, Disturbance{Own: 0.9}, false},
		{"more of our own than the ticks show", 950 * time.Millisecond, tree{"proc/stat": stat(90, 0, 0, 0)}, Disturbance{Own: 0.95}, false},
		{"others", 900 * time.Millisecond, tree{"proc/stat": stat(90, 50, 0, 0)}, Disturbance{Own: 0.9, Others: 0.5}, true},
		{"a little of others", 900 * time.Millisecond, tree{"proc/stat": stat(90, 15, 0, 0)}, Disturbance{Own: 0.9, Others: 0.15}, false},
		{"stolen", 900 * time.Millisecond, tree{"proc/stat": statStolen([]int{90, 0, 0, 0}, []int{10, 0, 0, 0})},
			Disturbance{Own: 0.9, Stolen: 0.1}, true},
		{"little stolen, of little", 10 * time.Millisecond, tree{"proc/stat": statStolen([]int{1, 0, 0, 0}, []int{1, 0, 0, 0})},
			Disturbance{Own: 0.01, Stolen: 0.5}, false},
		{"throttled", 0, tree{cgroup: "throttled_usec 30000\n"}, Disturbance{Throttled: 30 * time.Millisecond}, true},
		// CPUs 0 and 1 are a core, and all are one processor: each is counted once.
		{"hot", 0, with(everywhere("thermal_throttle/package_throttle_count", "4"), tree{
			cpuFile(0, "thermal_throttle/core_throttle_count"): "2", cpuFile(1, "thermal_throttle/core_throttle_count"): "2"}),
			Disturbance{Cooled: 6}, true},
	} {
		m, step := machine(t, tree{cgroup: "throttled_usec 0\n",
			cpuFile(0, "topology/thread_siblings_list"): "0-1", cpuFile(1, "topology/thread_siblings_list"): "0-1"}, c.change)
		used := time.Duration(0)
		m.usage = func() time.Duration { return used }
		s := m.Watch().Begin()
		used += c.own
		step()
		got := s.End()
		c.want.Known, c.want.Wall, c.want.CPUs = true, time.Second, 4
		for _, f := range []*float64{&got.Own, &got.Others, &got.Stolen} {
			*f = math.Round(*f*1e6) / 1e6
		}
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
		if got.Marked() != c.marked {
			t.Errorf("%s: marked %v: %v", c.name, got.Marked(), got)
		}
	}
}

func TestOnlyThePinnedCPUsCount(t *testing.T) {
	m, step := machine(t, nil, tree{"proc/stat": stat(100, 100, 0, 3)})
	m.Pin = CPUs{2, 3}
	s := m.Watch().Begin()
	step()
	if d := s.End(); d.Others != 0.03 || d.CPUs != 2 {
		t.Errorf("%+v", d)
	}
}

func TestCountersThatGoBackAreNothing(t *testing.T) {
	m, step := machine(t, tree{"proc/stat": stat(500, 500, 500, 500)}, tree{"proc/stat": stat(0, 0, 0, 0)})
	s := m.Watch().Begin()
	step()
	if d := s.End(); d.Others != 0 || d.Stolen != 0 || d.Marked() {
		t.Errorf("%+v", d)
	}
}

func TestWithoutCountersNothingIsKnown(t *testing.T) {
	m, step := machine(t, tree{"proc/stat": ""}, nil)
	w := m.Watch()
	s := w.Begin()
	step()
	if d := s.End(); d.Known || d.Marked() || d.String() != "not known" {
		t.Errorf("%+v", d)
	}
	if all := w.End(); len(all) != 1 || all[0].Level != Note {
		t.Errorf("%+v", all)
	}
}

func TestDisturbanceInWords(t *testing.T) {
	for want, d := range map[string]Disturbance{
		"others used 0.8 of 2 CPUs": {Known: true, CPUs: 2, Others: 0.8},
		"others used 0.0 of 2 CPUs, 12 % stolen, throttled for 30ms, slowed down by heat 3 times": {Known: true, CPUs: 2, Stolen: 0.12,
			Throttled: 30 * time.Millisecond, Cooled: 3},
	} {
		if got := d.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// spans watches as many processes as there are trees, each of which is what the machine becomes during one.
func spans(t *testing.T, before tree, during ...tree) []Finding {
	t.Helper()
	m, _ := machine(t, before, nil)
	now := m.now()
	m.now = func() time.Time { return now }
	w := m.Watch()
	for _, tr := range during {
		s := w.Begin()
		now = now.Add(time.Second)
		tr.write(m.FS.(fstest.MapFS))
		s.End()
	}
	return w.End()
}

func TestAWatchThatSawNothingIsFine(t *testing.T) {
	for _, f := range spans(t, nil, nil, nil, nil) {
		if f.Level != Fine {
			t.Errorf("%+v", f)
		}
	}
}

func TestAWatchTellsWhatItSaw(t *testing.T) {
	busy := []tree{nil, {"proc/stat": stat(100, 100, 0, 0)}, nil, nil, nil, nil}
	for _, c := range []struct {
		name    string
		before  tree
		during  []tree
		finding string
		level   Level
		value   string
	}{
		{"one of six", nil, busy, "disturbed", Note, "1 of 6 processes"},
		{"its load", nil, busy, "other processes", Note, "0.3 of 4 CPUs"},
		{"one of two", nil, busy[:2], "disturbed", Warning, "1 of 2 processes"},
		{"who it was", tree{"proc/8/stat": process(8, 1, "make", 0)},
			[]tree{{"proc/stat": stat(100, 100, 0, 0), "proc/8/stat": process(8, 1, "make", 180)}},
			"other processes", Note, "2.0 of 4 CPUs; since the beginning make (pid 8) 1.8"},
		{"stolen", nil, []tree{{"proc/stat": statStolen([]int{30, 0, 0, 0}, []int{10, 0, 0, 0})},
			{"proc/stat": statStolen([]int{60, 0, 0, 0}, []int{10, 0, 0, 0})}}, "stolen time", Warning, "14 %"},
		{"throttled", nil, []tree{{"sys/fs/cgroup/cpu.stat": "throttled_usec 2000000\n"}}, "quota", Warning, "2s"},
		{"hot", nil, []tree{everywhere("thermal_throttle/package_throttle_count", "4")}, "heat", Warning, "4 times"},
		{"slower and slower", nil, []tree{everywhere("cpufreq/scaling_cur_freq", "3000000"), everywhere("cpufreq/scaling_cur_freq", "2000000")},
			"frequency", Warning, "2.00 GHz to 3.00 GHz"},
		{"idle CPUs", nil, []tree{{cpuFile(2, "cpufreq/scaling_cur_freq"): "800000"}}, "frequency", Fine, "3.40 GHz"},
		{"rivals", nil, []tree{{"proc/stat": stat(100, 100, 0, 0), "proc/70/stat": process(70, 1, "x.test", 0),
			"proc/70/cmdline": "x.test\x00-test.bench=.\x00"}, {"proc/stat": stat(200, 100, 0, 0)}},
			"other benchmarks", Warning, "ran at the same time: x.test (pid 70)"},
		{"unplugged", nil, []tree{{"sys/class/power_supply/AC/online": "0", "sys/class/power_supply/BAT0/type": "Battery",
			"sys/class/power_supply/BAT0/status": "Discharging"}}, "power", Warning, "changed from mains to battery"},
		{"another governor", nil, []tree{everywhere("cpufreq/scaling_governor", "powersave")},
			"governor", Warning, "changed from performance (intel_pstate) to powersave (intel_pstate)"},
		{"swapping", nil, []tree{{"proc/vmstat": "pswpin 100\npswpout 5\n", "proc/pressure/memory": "some avg60=0 total=500000\n"}},
			"memory", Warning, "95 pages"},
	} {
		all := spans(t, c.before, c.during...)
		if f := find(all, c.finding); f.Level != c.level || !strings.Contains(f.Value, c.value) || f.Level != Fine && f.Meaning == "" {
			t.Errorf("%s: %+v in %+v", c.name, f, all)
		}
	}
}

// asBurner makes the test binary use this much CPU time, say so, and wait for the end of its standard input.
const asBurner = "THREADCALL_TEST_BURN"

func burn(text string) {
	d, err := time.ParseDuration(text)
	if err != nil {
		panic(err)
	}
	for (Machine{}).ownTime() < d {
	}
	fmt.Println("burnt")
	bufio.NewReader(os.Stdin).ReadString('\n')
}

func startBurner(t *testing.T, d time.Duration) (cmd *exec.Cmd, wait func()) {
	t.Helper()
	cmd = exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asBurner+"="+d.String())
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { cmd.Process.Kill() })
	bufio.NewReader(out).ReadString('\n')
	return cmd, func() {
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
}

func TestTheTimeOfAChildThatWasWaitedForIsOurs(t *testing.T) {
	s := Machine{}.Watch().Begin()
	cmd, wait := startBurner(t, 300*time.Millisecond)
	wait()
	d := s.End()
	child := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	if own := time.Duration(d.Own * float64(d.Wall)); !d.Known || child < 300*time.Millisecond || own < child-time.Millisecond {
		t.Errorf("own %v, of the child %v, %+v", own, child, d)
	}
}

func TestTheTimeOfAnyoneElseIsThatOfOthers(t *testing.T) {
	// A child that has not been waited for stands for someone else.
	const burnt = 400 * time.Millisecond
	s := Machine{}.Watch().Begin()
	_, wait := startBurner(t, burnt)
	d := s.End()
	wait()
	if others := time.Duration(d.Others * float64(d.Wall)); others < burnt*3/4 {
		t.Errorf("others used %v, but one of them %v", others, burnt)
	}
}

func TestTasksAreThoseOfOthers(t *testing.T) {
	m, _ := machine(t, tree{
		"proc/4242/stat": process(self, 1, "us", 1),
		"proc/5/stat":    process(5, self, "child", 2),
		"proc/4/stat":    process(4, 5, "grandchild", 3),
		"proc/6/stat":    process(6, 1, "a) b (c", 4),
		"proc/9/stat":    process(9, 10, "ring", 5),
		"proc/10/stat":   process(10, 9, "ring", 6),
		"proc/11/stat":   "11 (cut off) S 1",
		"proc/sys/stat":  process(12, 1, "no process", 0),
	}, nil)
	got := m.tasks()
	want := map[int]string{1: "init", 6: "a) b (c", 9: "ring", 10: "ring"}
	if len(got) != len(want) {
		t.Errorf("%v", got)
	}
	for pid, name := range want {
		if got[pid].name != name {
			t.Errorf("%d: %+v", pid, got[pid])
		}
	}
	if got[6].used != 40*time.Millisecond || got[6].parent != 1 || got[6].start != 77 {
		t.Errorf("%+v", got[6])
	}
}

func TestANumberThatIsUsedAgainIsAnotherProcess(t *testing.T) {
	before := map[int]task{5: {pid: 5, start: 1, name: "a", used: time.Hour}}
	after := map[int]task{5: {pid: 5, start: 2, name: "b", used: time.Second}}
	if got := busiest(before, after, time.Second); len(got) != 1 || got[0] != "b (pid 5) 1.0" {
		t.Errorf("%q", got)
	}
	after[5] = task{pid: 5, start: 1, name: "a", used: time.Hour + 100*time.Millisecond}
	for pid := range 4 {
		after[10+pid] = task{pid: 10 + pid, name: strconv.Itoa(pid), used: time.Duration(pid) * time.Second}
	}
	if got := strings.Join(busiest(before, after, time.Second), ", "); got != "3 (pid 13) 3.0, 2 (pid 12) 2.0, 1 (pid 11) 1.0" {
		t.Error(got)
	}
}
