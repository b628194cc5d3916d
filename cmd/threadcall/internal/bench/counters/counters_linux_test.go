package counters

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	Maybe()
	os.Exit(m.Run())
}

func TestEventsSurviveTheirText(t *testing.T) {
	if got := parse(format(Hardware)); !slices.Equal(got, Hardware) {
		t.Errorf("%v, want %v", got, Hardware)
	}
}

func TestEachErrorHasAReason(t *testing.T) {
	for err, want := range map[error]string{
		unix.ENOENT: "virtual machines",
		unix.EACCES: "does not permit",
		unix.EPERM:  "does not permit",
		unix.ENOSYS: "the kernel has no",
		unix.EMFILE: "perf_event_open: too many open files",
	} {
		if got := explain(err).Error(); !strings.Contains(got, want) {
			t.Errorf("%v: %q, want %q", err, got, want)
		}
	}
	if err := Available([]Event{{"x", 1 << 30, 0}}); err == nil {
		t.Error("a type of event that no kernel has is available")
	}
}

func TestTheProgramRunsWithoutAnEventThatCannotBeOpened(t *testing.T) {
	cmd := exec.Command(os.Args[0], "/bin/sh", "-c", "echo $0 $1 [$"+Environment+"] [$"+request+"]", "a b", "c")
	cmd.Env = append(os.Environ(), request+"="+format([]Event{{"x", 1 << 30, 0}}))
	out, err := cmd.CombinedOutput()
	if got, want := string(out), "a b c [] []\n"; err != nil || got != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func TestAProgramThatCannotStartIsAnError(t *testing.T) {
	cmd := exec.Command(os.Args[0], "/nonexistent", "x")
	cmd.Env = append(os.Environ(), request+"="+format(Hardware))
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "/nonexistent x: no such file") {
		t.Errorf("%q, %v", out, err)
	}
}
