package cpufreq

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	MaybeWatchdog()
	if len(os.Args) == 3 && os.Args[1] == "run" {
		root = os.Args[2]
		run()
		return
	}
	os.Exit(m.Run())
}

// run holds the frequency, says so, and does what its standard input says.
func run() {
	h, err := Hold(90)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("held", h.watchdog.Process.Pid)
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		fmt.Println("restored", h.Restore())
	}
}

// newMachine makes a machine of directories, with two policies.
func newMachine(t *testing.T) {
	t.Helper()
	root = t.TempDir()
	t.Cleanup(func() { root = "/" })
	for _, name := range []string{"policy0", "policy4"} {
		dir := filepath.Join(policies(), name)
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, n := range map[string]int{
			"cpuinfo_min_freq": 800_000, "cpuinfo_max_freq": 3_400_000, "scaling_min_freq": 800_000, "scaling_max_freq": 3_400_000,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(fmt.Sprintln(n)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

const was, at90 = "800000-3400000 800000-3400000", "3140000-3140000 3140000-3140000"

// limits returns those that the policies have.
func limits() string {
	var all []string
	for _, name := range []string{"policy0", "policy4"} {
		p := policy{Dir: filepath.Join(policies(), name)}
		low, high, _ := p.limits("scaling")
		all = append(all, fmt.Sprintf("%d-%d", low, high))
	}
	return strings.Join(all, " ")
}

// becomes fails the test unless the limits are as wanted within a minute.
func becomes(t *testing.T, want string) {
	t.Helper()
	for begin := time.Now(); limits() != want; time.Sleep(5 * time.Millisecond) {
		if time.Since(begin) > time.Minute {
			t.Fatalf("the limits are %s, not %s", limits(), want)
		}
	}
}

// A runner is a run in a process of its own.
type runner struct {
	t        *testing.T
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	watchdog int
}

func start(t *testing.T) *runner {
	t.Helper()
	r := &runner{t: t, cmd: exec.Command(os.Args[0], "run", root)}
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	out, err1 := r.cmd.StdoutPipe()
	in, err2 := r.cmd.StdinPipe()
	if err := errors.Join(err1, err2, r.cmd.Start()); err != nil {
		t.Fatal(err)
	}
	r.in = in
	r.out = bufio.NewReader(out)
	t.Cleanup(r.kill)
	return r
}

func (r *runner) scan(format string, to ...any) {
	r.t.Helper()
	line, err := r.out.ReadString('\n')
	if _, err2 := fmt.Sscanf(line, format, to...); err != nil || err2 != nil {
		r.t.Fatalf("the run prints %q; %v", line, err)
	}
}

func (r *runner) kill() {
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

func TestTheFrequencyIsHeldAndRestored(t *testing.T) {
	newMachine(t)
	h, err := Hold(90)
	if err != nil || h.What != "3.14 GHz" || limits() != at90 {
		t.Fatalf("%+v, %v, %s", h, err, limits())
	}
	if err := errors.Join(h.Restore(), h.Restore()); err != nil || limits() != was {
		t.Errorf("restored to %s, %v", limits(), err)
	}
}

func TestTheLimitsAreRestoredHoweverTheRunEnds(t *testing.T) {
	kill := func(s syscall.Signal) func(*runner) {
		return func(r *runner) { syscall.Kill(r.cmd.Process.Pid, s) }
	}
	for name, end := range map[string]func(*runner){
		"SIGKILL":                 kill(syscall.SIGKILL),
		"SIGTERM":                 kill(syscall.SIGTERM),
		"SIGINT to all its group": func(r *runner) { syscall.Kill(-r.cmd.Process.Pid, syscall.SIGINT) },
		"end without Restore":     func(r *runner) { r.in.Close() },
		"SIGKILL after the watchdog was asked to end": func(r *runner) {
			for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT} {
				syscall.Kill(r.watchdog, s)
			}
			r.kill()
		},
		"Restore after the watchdog was killed": func(r *runner) {
			syscall.Kill(r.watchdog, syscall.SIGKILL)
			io.WriteString(r.in, "restore\n")
			r.scan("restored <nil>\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			newMachine(t)
			r := start(t)
			r.scan("held %d\n", &r.watchdog)
			becomes(t, at90)
			end(r)
			becomes(t, was)
		})
	}
}

func TestTheNextHoldWaitsForTheWatchdogOfAKilledRun(t *testing.T) {
	newMachine(t)
	defer func(old time.Duration) { timeout = old }(timeout)
	for i := range 10 {
		r := start(t)
		if i%2 == 0 {
			r.scan("held %d\n", &r.watchdog)
			timeout = 10 * time.Millisecond
			if _, err := Hold(50); err == nil || !strings.Contains(err.Error(), "another process") {
				t.Errorf("two at the same time: %v", err)
			}
			timeout = time.Minute
		} else {
			time.Sleep(time.Duration(i) * time.Millisecond)
		}
		r.kill()
		h, err := Hold(50)
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Restore(); err != nil || limits() != was {
			t.Fatalf("it took %s for what the machine was set to, %v", limits(), err)
		}
	}
}

func TestWhatCannotBeHeldIsAnErrorAndChangesNothing(t *testing.T) {
	newMachine(t)
	if _, err := Hold(101); err == nil {
		t.Error("101 percent")
	}
	if os.Geteuid() != 0 { // which may do it all
		os.Chmod(filepath.Join(policies(), "policy4", "scaling_max_freq"), 0o444)
		if _, err := Hold(90); !errors.Is(err, fs.ErrPermission) || !strings.Contains(err.Error(), "needs root") {
			t.Error(err)
		}
	}
	if err := os.Remove(filepath.Join(policies(), "policy4", "cpuinfo_max_freq")); err != nil {
		t.Fatal(err)
	}
	if _, err := Hold(90); err == nil || limits() != was {
		t.Errorf("%v, and the limits are %s", err, limits())
	}
	root = t.TempDir()
	if _, err := Hold(90); !errors.Is(err, ErrNone) {
		t.Error(err)
	}
}
