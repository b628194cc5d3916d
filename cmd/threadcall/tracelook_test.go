package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tracereport "github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

func TestPartsOfATrace(t *testing.T) {
	file := recorded(t)
	whole := decoded[tracereport.Report](t, threadcall(t, "trace", "-json", file).want(t, statusOK).stdout)
	if whole.Look != nil {
		t.Error("a report on the whole trace has a part")
	}
	end := whole.Trace.Duration
	part := decoded[tracereport.Report](t, threadcall(t, "trace", "-json", "-from", (end/4).String(), "-to", (end/2).String(), file).want(t, statusOK).stdout).Look
	if part == nil || part.From != end/4 || part.To != end/2 || part.Of == 0 || len(part.States) == 0 {
		t.Fatalf("%+v", part)
	}
	for _, g := range part.Goroutines {
		if sum := g.Running + g.Runnable + g.Syscall + g.Waiting; sum > end/2-end/4 {
			t.Errorf("goroutine %d has %v in a part of %v", g.ID, sum, end/2-end/4)
		}
	}
	threadcall(t, "trace", "-place", "trace_test.go", file).want(t, statusOK, "From 0 ns to", "trace_test.go:", "Tasks", "threadcall.Call")
	threadcall(t, "trace", "-place", "nowhere.go", file).want(t, statusWrong, `no stack in the trace has the place "nowhere.go"`)
	threadcall(t, "trace", "-goroutine", "99999999", file).want(t, statusWrong, "the trace has no goroutine 99999999")
	threadcall(t, "trace", "-from", "1000h", file).want(t, statusWrong, "the trace has nothing from 1000h")

	page := filepath.Join(t.TempDir(), "part.html")
	threadcall(t, "trace", "-from", (end/4).String(), "-html", page, file).want(t, statusOK, "wrote "+page)
	if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), `"as requested"`) {
		t.Errorf("%v, %d bytes without the part", err, len(text))
	}
}
