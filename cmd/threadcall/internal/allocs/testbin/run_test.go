package testbin

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/process"
)

func TestWhatABinaryHasStartedEndsWithIt(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	for script, fails := range map[string]bool{"sleep 100 & echo $!": false, "sleep 100 & echo $!; exit 1": true} {
		out, err := (&Binary{File: sh}).run(t.Context(), Options{}, nil, "-c", script)
		if errors.As(err, new(*Failure)) != fails || !fails && err != nil {
			t.Errorf("%s: %v", script, err)
		}
		child, err := strconv.Atoi(strings.TrimSpace(out))
		if err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(time.Minute); process.Alive(child); time.Sleep(time.Millisecond) {
			if state, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat"); err == nil && strings.Contains(string(state), ") Z ") {
				break // nobody has waited for it, that is all
			}
			if time.Now().After(deadline) {
				t.Fatalf("%s: %d lives", script, child)
			}
		}
	}
}

func TestATimeoutIsForBenchmarksToo(t *testing.T) {
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip(err)
	}
	_, err = (&Binary{File: sh}).run(t.Context(), Options{Timeout: time.Millisecond}, nil, "-c", "echo x_test.go:1: begun; sleep 100")
	var f *Failure
	if !errors.As(err, &f) || !strings.HasPrefix(f.Decisive(), "--- FAIL: it ran for more than 1ms") || !strings.Contains(f.Output, "begun") {
		t.Error(err)
	}
}
