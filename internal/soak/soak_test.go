package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/soak/load"
	"github.com/threadcall/threadcall/internal/soak/record"
	"github.com/threadcall/threadcall/mainthread"
)

// With THREADCALL_SOAK set this is the command, with its value's lines as arguments: tests run it in processes of its
// own, so that what one leaks the next does not see.
func TestMain(m *testing.M) {
	if args := os.Getenv("THREADCALL_SOAK"); args != "" {
		os.Args = append(os.Args[:1], strings.Split(args, "\n")...)
		main()
		return
	}
	mainthread.Init(func() { os.Exit(m.Run()) })
}

// start starts the command.
func start(t *testing.T, args ...string) (cmd *exec.Cmd, output *strings.Builder) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	output = new(strings.Builder)
	cmd = exec.Command(self)
	cmd.Env = append(os.Environ(), "THREADCALL_SOAK="+strings.Join(args, "\n"))
	cmd.Stdout, cmd.Stderr = output, output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, output
}

func run(t *testing.T, args ...string) (output string, status int) {
	t.Helper()
	cmd, out := start(t, args...)
	if err := cmd.Wait(); err != nil && cmd.ProcessState == nil {
		t.Fatal(err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

func TestALeakIsFound(t *testing.T) {
	grows := map[string]string{"heap": "live heap", "goroutine": "goroutines", "thread": "OS threads"}
	for _, leak := range load.Leaks {
		t.Run(leak, func(t *testing.T) {
			out, status := "", 0
			for length := 4 * time.Second; length <= 64*time.Second; length *= 2 { // a busy machine takes fewer samples
				out, status = run(t, "--for", length.String(), "--leak", leak, "--out", t.TempDir())
				if status != statusWrong {
					t.Errorf("status %d", status)
				}
				if !strings.Contains(out, "too few samples") {
					break
				}
			}
			for line := range strings.Lines(out) {
				if strings.HasPrefix(strings.TrimSpace(line), grows[leak]) && strings.Contains(line, "GROWS") {
					return
				}
			}
			t.Errorf("%s does not grow:\n%s", grows[leak], out)
		})
	}
}

func TestNothingLeaks(t *testing.T) {
	dir := t.TempDir()
	for length := 8 * time.Second; ; length *= 2 { // in seconds, on a busy machine, noise may look like growth
		out, status := run(t, "--for", length.String(), "--out", dir)
		if status == statusOK {
			break
		}
		if length > 30*time.Second {
			t.Fatalf("status %d:\n%s", status, out)
		}
	}
	for name, want := range map[string]string{
		"soak.md": "## Verdict", "soak.svg": "</svg>", "soak.csv": "seconds,live_bytes",
	} {
		if b, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%s: no %q in %d bytes, %v", name, want, len(b), err)
		}
	}
}

func TestAnInterruptKeepsWhatThereIs(t *testing.T) {
	dir := t.TempDir()
	cmd, out := start(t, "--for", "30s", "--out", dir)
	time.Sleep(6 * time.Second)
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Skip(err) // Windows
	}
	_ = cmd.Wait() // the verdict may be either
	if !cmd.ProcessState.Exited() || !strings.Contains(out.String(), "interrupted") {
		t.Errorf("%v:\n%s", cmd.ProcessState, out)
	}
	if _, err := os.Stat(filepath.Join(dir, "soak.svg")); err != nil {
		t.Error(err)
	}
}

func TestTooFewSamplesAreNotJudged(t *testing.T) {
	r := &result{drifts: judge(make([]record.Sample, 10))}
	if r.ok() || !strings.Contains(r.reason(), "too few") {
		t.Errorf("ten samples are judged: %v", r.drifts)
	}
}

func TestWhatIsNotUnderstoodIsSaid(t *testing.T) {
	for _, args := range []string{"--for 1s", "--for now", "--leak money", "more"} {
		if out, status := run(t, strings.Fields(args)...); status != statusUsage || !strings.Contains(out, "--help") {
			t.Errorf("%s: status %d:\n%s", args, status, out)
		}
	}
}

func TestALoadThatFailsIsReported(t *testing.T) {
	r := &result{faults: []string{"not so: a call runs"}}
	if r.ok() || !strings.Contains(r.text(), "not so: a call runs") {
		t.Errorf("the fault is not told:\n%s", r.text())
	}
}

func TestEachKindOfLoadTakesTurns(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	l := load.Start(ctx)
	l.Wait()
	for _, f := range l.Faults() {
		t.Error(f)
	}
	for _, row := range l.Rows() {
		if row.Turns == 0 {
			t.Errorf("%s took no turn", row.Name)
		}
	}
	if name := l.Stuck(0); name != "" {
		t.Errorf("%s is still under way", name)
	}
}

func TestNumbersAreReadable(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.01: "0", -0.01: "0", 0.25: "0.2", 7: "7", 99.96: "100.0", -12.34: "-12.3", 123.4: "123",
		1234: "1,234", -1234567: "-1,234,567",
	} {
		if got := thousands(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
	for d, want := range map[time.Duration]string{
		time.Hour: "1h", 50 * time.Minute: "50m", 90 * time.Second: "1m30s", 20 * time.Second: "20s",
		time.Hour + 5*time.Second: "1h0m5s",
	} {
		if got := short(d); got != want {
			t.Errorf("%v is written %q, want %q", d, got, want)
		}
	}
}
