package host

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestMain(m *testing.M) {
	if d := os.Getenv(asBurner); d != "" {
		burn(d)
		return
	}
	if os.Getenv(asPinned) != "" {
		cpus, err := Available()
		fmt.Println(cpus, err, runtime.GOMAXPROCS(0))
		return
	}
	os.Exit(m.Run())
}

// asPinned makes the test binary tell where it runs.
const asPinned = "THREADCALL_TEST_PINNED"

// startedOn returns what a process says that is started on cpus.
func startedOn(cpus CPUs) (string, error) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "GOMAXPROCS=") }), asPinned+"=1")
	var out strings.Builder
	cmd.Stdout = &out
	if err := Start(cmd, cpus); err != nil {
		return "", err
	}
	err := cmd.Wait()
	return strings.TrimSpace(out.String()), err
}

func available(t *testing.T) CPUs {
	t.Helper()
	all, err := Available()
	if err != nil || len(all) == 0 {
		t.Fatal(all, err)
	}
	return all
}

func TestAPinnedProcessRunsThereAndWeDoNot(t *testing.T) {
	all := available(t)
	var group sync.WaitGroup
	for range 3 {
		for _, cpus := range []CPUs{{all[0]}, {all[len(all)-1]}, all, nil} {
			group.Go(func() {
				want := cpus
				if cpus == nil {
					want = all
				}
				got, err := startedOn(cpus)
				if fields := strings.Fields(got); err != nil || len(fields) != 3 || fields[0] != want.String() || fields[1] != "<nil>" {
					t.Errorf("on %v: %q, %v", cpus, got, err)
				} else if len(cpus) == 1 && fields[2] != "1" {
					t.Errorf("on %v with GOMAXPROCS %s", cpus, fields[2])
				}
			})
		}
	}
	group.Wait()
	threads, err := filepath.Glob("/proc/self/task/*/status")
	if err != nil || len(threads) == 0 {
		t.Fatal(threads, err)
	}
	for _, file := range threads {
		text, err := os.ReadFile(file)
		if err == nil && !strings.Contains(string(text), "Cpus_allowed_list:\t"+all.String()+"\n") {
			t.Errorf("%s: not on %v:\n%s", file, all, text)
		}
	}
}

func TestWhatCannotBePinned(t *testing.T) {
	all := available(t)
	for _, c := range []struct {
		cpus CPUs
		want string
	}{
		{CPUs{all[0], maxCPU}, fmt.Sprintf("CPU %d is not there", maxCPU)},
		{CPUs{}, "to no CPU"},
	} {
		got, err := startedOn(c.cpus)
		if err == nil || got != "" || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), all.String()) {
			t.Errorf("%v: %q, %v", c.cpus, got, err)
		}
	}
	if err := Start(exec.Command("/nonexistent"), CPUs{all[0]}); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestAvailableAgreesWithTheKernelsList(t *testing.T) {
	if a, b := available(t), (Machine{}).available(); !slices.Equal(a, b) {
		t.Errorf("%v, %v", a, b)
	}
}
