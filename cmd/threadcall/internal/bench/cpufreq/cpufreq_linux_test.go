package cpufreq

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary is a run if this is set: it fixes the frequency, says so, and does what it is told on its standard input.
const asRun = "THREADCALL_TEST_AS_RUN"

func TestMain(m *testing.M) {
	MaybeGuard()
	if os.Getenv(asRun) != "" {
		run()
		return
	}
	os.Exit(m.Run())
}

func run() {
	f, err := Fix(90)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("fixed", f.guarded.cmd.Process.Pid)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		switch in.Text() {
		case "restore":
			notes, err := f.Restore()
			fmt.Println("restored", len(notes), err)
		case "child":
			child := exec.Command("sleep", "300")
			fmt.Println("child", child.Start(), child.Process.Pid)
		case "exit":
			os.Exit(3)
		case "panic":
			panic("as told")
		}
	}
}

// was is what the machine of the tests is set to.
var was = limits{800_000, 3_400_000}

// at90 is 90 percent of its range.
var at90 = limits{3_140_000, 3_140_000}

// newMachine makes a machine of directories that Fix takes for this one.
func newMachine(t *testing.T, policies ...policy) (dir string) {
	t.Helper()
	dir = t.TempDir()
	t.Setenv(RootVariable, dir)
	for _, p := range policies {
		for name, n := range map[string]int{
			"cpuinfo_min_freq": was.Min, "cpuinfo_max_freq": was.Max, "scaling_min_freq": was.Min, "scaling_max_freq": was.Max,
		} {
			put(t, p.file(name), fmt.Sprintln(n))
		}
	}
	put(t, filepath.Join(dir, "proc/sys/kernel/random/boot_id"), "first\n")
	if err := os.MkdirAll(filepath.Join(dir, "run"), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// is fails the test unless the policy is set to want.
func is(t *testing.T, p policy, want limits) {
	t.Helper()
	if got, err := p.current(); got != want || err != nil {
		t.Errorf("%s is set to %v, not %v; %v", p, got, want, err)
	}
}

// becomes is is, some time later.
func becomes(t *testing.T, p policy, want limits) {
	t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if got, err := p.current(); err == nil && got == want {
			return
		}
	}
	is(t, p, want)
}

// nothingLeft waits until no guardian is at work, and fails the test if one has left something to do.
func nothingLeft(t *testing.T) {
	t.Helper()
	lock, err := lockState(time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
	if _, err := os.Stat(stateFile()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the state is still there: %v", err)
	}
}

// A runner is a run in a process of its own.
type runner struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	guardian int
}

func startRun(t *testing.T) *runner {
	t.Helper()
	r := &runner{t: t, cmd: exec.Command(os.Args[0])}
	r.cmd.Env = append(os.Environ(), asRun+"=1")
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err := r.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if r.in, err = r.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	r.out = bufio.NewReader(out)
	t.Cleanup(r.kill)
	return r
}

// fixed waits until the run has fixed the frequency.
func (r *runner) fixed() *runner {
	r.t.Helper()
	r.scan("fixed %d\n", &r.guardian)
	return r
}

func (r *runner) scan(format string, to ...any) {
	r.t.Helper()
	line, err := r.out.ReadString('\n')
	if _, err2 := fmt.Sscanf(line, format, to...); err != nil || err2 != nil {
		r.t.Fatalf("the run says %q; %v", line, err)
	}
}

func (r *runner) tell(what string) { io.WriteString(r.in, what+"\n") }

func (r *runner) kill() {
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

// killGuardian returns when the guardian has ended.
func (r *runner) killGuardian() {
	r.t.Helper()
	if err := syscall.Kill(r.guardian, syscall.SIGKILL); err != nil {
		r.t.Fatal(err)
	}
	for range 10_000 {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", r.guardian))
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(time.Millisecond)
	}
	r.t.Fatal("the guardian does not end")
}

func TestFixAndRestore(t *testing.T) {
	newMachine(t, "policy0", "policy4")
	put(t, policy("policy4").file("scaling_min_freq"), "1000000\n")
	f, err := Fix(90)
	if err != nil {
		t.Fatal(err)
	}
	if f.What != "3.14 GHz" || len(f.Notes) != 0 {
		t.Errorf("%q, %q", f.What, f.Notes)
	}
	is(t, "policy0", at90)
	is(t, "policy4", at90)
	notes, err := f.Restore()
	if len(notes) != 0 || err != nil {
		t.Error(notes, err)
	}
	is(t, "policy0", was)
	is(t, "policy4", limits{1_000_000, was.Max})
	nothingLeft(t)
	put(t, policy("policy0").file("scaling_max_freq"), "2000000\n")
	if notes, err := f.Restore(); len(notes) != 0 || err != nil {
		t.Error(notes, err)
	}
	is(t, "policy0", limits{was.Min, 2_000_000})
}

func TestPercentIsOfTheRangeOfTheHardware(t *testing.T) {
	for _, c := range []struct {
		percent int
		steps   string
		want    int
	}{
		{0, "", 800_000},
		{50, "", 2_100_000},
		{90, "", 3_140_000},
		{100, "", 3_400_000},
		{90, "3400000 3000000 800000", 3_000_000},
		{90, "3400000 3200000 3000000 800000 ", 3_200_000},
		{0, "900000 3000000", 900_000},
	} {
		newMachine(t, "policy0")
		if c.steps != "" {
			put(t, policy("policy0").file("scaling_available_frequencies"), c.steps+"\n")
		}
		if got, err := policy("policy0").target(c.percent); got != c.want || err != nil {
			t.Errorf("%d percent with steps %q: %d, %v, want %d", c.percent, c.steps, got, err, c.want)
		}
	}
	for _, percent := range []int{-1, 101} {
		if _, err := Fix(percent); err == nil || !strings.Contains(err.Error(), strconv.Itoa(percent)) {
			t.Errorf("%d: %v", percent, err)
		}
	}
}

func TestRestoredHoweverTheRunEnds(t *testing.T) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP) // so that runs do not ignore it if the tests do, as under nohup
	defer signal.Reset(syscall.SIGHUP)
	kill := func(s syscall.Signal) func(*runner) {
		return func(r *runner) { syscall.Kill(r.cmd.Process.Pid, s) }
	}
	for name, end := range map[string]func(*runner){
		"SIGKILL":                 kill(syscall.SIGKILL),
		"SIGTERM":                 kill(syscall.SIGTERM),
		"SIGHUP":                  kill(syscall.SIGHUP),
		"SIGINT to all its group": func(r *runner) { syscall.Kill(-r.cmd.Process.Pid, syscall.SIGINT) },
		"SIGKILL to its group":    func(r *runner) { syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) },
		"exit":                    func(r *runner) { r.tell("exit") },
		"panic":                   func(r *runner) { r.tell("panic") },
		"end without Restore":     func(r *runner) { r.in.Close() },
		"SIGKILL, and a guardian that is told to end": func(r *runner) {
			for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
				syscall.Kill(r.guardian, s)
			}
			r.kill()
		},
	} {
		t.Run(name, func(t *testing.T) {
			newMachine(t, "policy0", "policy1")
			r := startRun(t).fixed()
			is(t, "policy0", at90)
			is(t, "policy1", at90)
			end(r)
			becomes(t, "policy0", was)
			becomes(t, "policy1", was)
			nothingLeft(t)
		})
	}
}

func TestRestoredThoughAChildOfTheRunLivesOn(t *testing.T) {
	newMachine(t, "policy0")
	r := startRun(t).fixed()
	r.tell("child")
	var child int
	r.scan("child <nil> %d\n", &child)
	defer syscall.Kill(child, syscall.SIGKILL)
	r.kill()
	becomes(t, "policy0", was)
	if err := syscall.Kill(child, 0); err != nil {
		t.Error("the child has ended, so this shows nothing:", err)
	}
}

func TestRunRestoresIfItsGuardianIsKilled(t *testing.T) {
	newMachine(t, "policy0")
	r := startRun(t).fixed()
	r.killGuardian()
	is(t, "policy0", at90)
	r.tell("restore")
	r.scan("restored 0 <nil>\n")
	is(t, "policy0", was)
	nothingLeft(t)
}

// bothKilled leaves a machine as a run does that is killed with its guardian.
func bothKilled(t *testing.T) {
	t.Helper()
	r := startRun(t).fixed()
	r.killGuardian()
	r.kill()
	lock, err := lockState(time.Minute) // when all threads of both have ended
	if err != nil {
		t.Fatal(err)
	}
	lock.Close()
	is(t, "policy0", at90)
}

func TestRecoverRestoresIfBothAreKilled(t *testing.T) {
	newMachine(t, "policy0")
	bothKilled(t)
	notes, err := Recover()
	if len(notes) != 1 || err != nil {
		t.Error(notes, err)
	}
	is(t, "policy0", was)
	nothingLeft(t)
	if notes, err := Recover(); len(notes) != 0 || err != nil {
		t.Error(notes, err)
	}
}

func TestNextFixRestoresFirstIfBothAreKilled(t *testing.T) {
	newMachine(t, "policy0")
	bothKilled(t)
	f, err := Fix(50)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Notes) != 1 {
		t.Error(f.Notes)
	}
	is(t, "policy0", limits{2_100_000, 2_100_000})
	if notes, err := f.Restore(); len(notes) != 0 || err != nil {
		t.Error(notes, err)
	}
	is(t, "policy0", was)
}

func TestARestartOfTheMachineForgetsWhatWasLeft(t *testing.T) {
	dir := newMachine(t, "policy0")
	bothKilled(t)
	put(t, filepath.Join(dir, "proc/sys/kernel/random/boot_id"), "second\n")
	if notes, err := Recover(); len(notes) != 0 || err != nil {
		t.Error(notes, err)
	}
	is(t, "policy0", at90)
	f, err := Fix(50)
	if err != nil {
		t.Fatal(err)
	}
	f.Restore()
	is(t, "policy0", at90)
}

func TestRecoverLeavesARunThatGoesOnAlone(t *testing.T) {
	newMachine(t, "policy0")
	startRun(t).fixed()
	if notes, err := Recover(); len(notes) != 0 || err != nil {
		t.Error(notes, err)
	}
	is(t, "policy0", at90)
}

func TestNextFixWaitsForTheGuardianOfAKilledRun(t *testing.T) {
	newMachine(t, "policy0")
	for range 5 {
		startRun(t).fixed().kill()
		f, err := Fix(50)
		if err != nil {
			t.Fatal(err)
		}
		if old := f.guarded.state.Changes[0].Old; old != was {
			t.Errorf("it took %v for what the machine was set to", old)
		}
		f.Restore()
	}
}

func TestTwoDoNotFixAtTheSameTime(t *testing.T) {
	newMachine(t, "policy0")
	startRun(t).fixed()
	if lock, err := lockState(10 * time.Millisecond); !errors.Is(err, errBusy) {
		lock.Close()
		t.Error(err)
	}
}

func TestKilledAtAnyMoment(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Log("seed", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	newMachine(t, "policy0", "policy1", "policy2", "policy3")
	for range 20 {
		r := startRun(t)
		time.Sleep(time.Duration(random.IntN(25_000)) * time.Microsecond)
		r.kill()
		nothingLeft(t)
		for _, p := range []policy{"policy0", "policy1", "policy2", "policy3"} {
			is(t, p, was)
		}
		if t.Failed() {
			return
		}
	}
}

func TestWhatAnotherProgramHasSetStays(t *testing.T) {
	for _, c := range []struct {
		name       string
		set, after limits
	}{
		{"nothing", at90, was},
		{"both", limits{1_000_000, 2_000_000}, limits{1_000_000, 2_000_000}},
		{"the upper one to more", limits{at90.Min, 3_300_000}, limits{was.Min, 3_300_000}},
		{"the upper one to less, with the lower one", limits{2_000_000, 2_000_000}, limits{2_000_000, 2_000_000}},
		{"the lower one", limits{1_000_000, at90.Max}, limits{1_000_000, was.Max}},
		{"what it was before", was, was},
	} {
		newMachine(t, "policy0")
		f, err := Fix(90)
		if err != nil {
			t.Fatal(err)
		}
		if err := policy("policy0").set(c.set); err != nil {
			t.Fatal(err)
		}
		notes, err := f.Restore()
		if err != nil {
			t.Error(err)
		}
		if told := len(notes) == 1 && strings.Contains(notes[0], "another program"); told != (c.after != was) {
			t.Errorf("%s: notes %q", c.name, notes)
		}
		is(t, "policy0", c.after)
		nothingLeft(t)
	}
}

// kernel stands for one that does not let the upper limit rise above a bound: what is asked for is kept, what is in force is
// shown.
func kernel(t *testing.T, p policy, bound *int) {
	t.Helper()
	asked, err := p.current()
	if err != nil {
		t.Fatal(err)
	}
	show := func() {
		high := min(asked.Max, *bound)
		put(t, p.file("scaling_max_freq"), fmt.Sprintln(high))
		put(t, p.file("scaling_min_freq"), fmt.Sprintln(min(asked.Min, high)))
	}
	old := afterWrite
	t.Cleanup(func() { afterWrite = old })
	afterWrite = func(path string) {
		now, err := p.current()
		if err != nil {
			t.Error(err)
		}
		switch filepath.Base(path) {
		case "scaling_max_freq":
			asked.Max = now.Max
		case "scaling_min_freq":
			asked.Min = now.Min
		}
		show()
	}
	show()
}

func TestALimitOfTheKernelIsNotTakenForThatOfAProgram(t *testing.T) {
	newMachine(t, "policy0")
	p, bound := policy("policy0"), was.Max
	kernel(t, p, &bound)
	if err := p.set(at90); err != nil {
		t.Fatal(err)
	}
	is(t, p, at90)
	bound = 2_000_000 // it gets hot
	afterWrite("")
	is(t, p, limits{bound, bound})
	note, err := p.putBack(was, at90, true)
	if err != nil || !strings.Contains(note, "now allows only") {
		t.Errorf("%q, %v", note, err)
	}
	is(t, p, limits{was.Min, bound})
	bound = was.Max // and cool again
	afterWrite("")
	is(t, p, was)
}

func TestLimitsNeverCross(t *testing.T) {
	p := policy("policy0")
	for _, c := range [][2]limits{
		{{1, 2}, {3, 4}}, {{3, 4}, {1, 2}}, {{1, 4}, {2, 2}}, {{2, 2}, {1, 4}}, {{2, 2}, {3, 3}}, {{3, 3}, {2, 2}}, {{2, 3}, {2, 3}},
	} {
		newMachine(t, p)
		for _, to := range c {
			if err := p.set(to); err != nil {
				t.Fatal(err)
			}
			is(t, p, to)
			afterWrite = func(string) {
				if now, err := p.current(); err != nil || now.Min > now.Max {
					t.Errorf("from %v to %v by way of %v; %v", c[0], c[1], now, err)
				}
			}
		}
		afterWrite = func(string) {}
	}
}

func TestWithoutCpufreq(t *testing.T) {
	newMachine(t)
	if _, err := Fix(90); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
	if _, err := os.Stat(stateDir()); err == nil {
		t.Error("it has made a directory for nothing")
	}
}

func TestWithoutTheRight(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("root may do it all")
	}
	newMachine(t, "policy0")
	if err := os.Chmod(policy("policy0").file("scaling_max_freq"), 0o444); err != nil {
		t.Fatal(err)
	}
	if _, err := Fix(90); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "needs root") {
		t.Error(err)
	}
	is(t, "policy0", was)
}

func TestADirectoryThatOthersCanWriteToIsNotTrusted(t *testing.T) {
	newMachine(t, "policy0")
	if err := os.MkdirAll(stateDir(), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(stateDir(), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := Fix(90); err == nil || !strings.Contains(err.Error(), "nobody else can write") {
		t.Error(err)
	}
	is(t, "policy0", was)
}

func TestNothingIsChangedIfTheStateCannotBeWritten(t *testing.T) {
	newMachine(t, "policy0")
	if err := os.MkdirAll(stateFile()+".new", 0o755); err != nil { // where the file would be made
		t.Fatal(err)
	}
	if _, err := Fix(90); err == nil {
		t.Error("no error")
	}
	is(t, "policy0", was)
}

func TestUntilItIsSettledAnyValueIsOurs(t *testing.T) {
	newMachine(t, "policy0")
	rounded := limits{3_100_000, 3_100_000} // which the kernel has made of at90
	if err := policy("policy0").set(rounded); err != nil {
		t.Fatal(err)
	}
	s := state{Changes: []change{{"policy0", was, at90}}}
	if notes, err := s.putBack(); len(notes) != 0 || err != nil {
		t.Error(notes, err)
	}
	is(t, "policy0", was)
}
