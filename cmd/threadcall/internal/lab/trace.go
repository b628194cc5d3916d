package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// A tracer has jobs traced, and the traces read by the command threadcall trace.
type tracer struct {
	ctx     context.Context
	dir     string // temporary
	command string
	build   func() error // once, when the first trace is to be read
	number  int
}

// A traceReport is what the lab uses of the JSON that threadcall trace writes. Times are nanoseconds.
type traceReport struct {
	Trace struct {
		Events    uint64 `json:"events"`
		Truncated bool   `json:"truncated"`
	} `json:"trace"`
	Warnings []string `json:"warnings"`
	Table    struct {
		Heap    uint64        `json:"heap_bytes"`
		BgSweep time.Duration `json:"bgsweep_ns"`
		STW     time.Duration `json:"stw_ns"`
	} `json:"table"`
	GC struct {
		Cycles uint64 `json:"cycles"`
	} `json:"gc"`
	Stops struct {
		All struct {
			N uint64 `json:"n"`
		} `json:"all_ns"`
	} `json:"stop_the_world"`
	Functions []traceFunction `json:"functions"`
	Affinity  struct {
		Via []struct {
			Name string `json:"name"`
			N    uint64 `json:"n"`
		} `json:"via"`
	} `json:"affinity"`
}

// A traceFunction sums up the goroutines that began with a function.
type traceFunction struct {
	Name       string `json:"name"`
	Goroutines uint64 `json:"goroutines"`
	Executions uint64 `json:"executions"`
	Moves      uint64 `json:"moves"`
}

func newTracer(ctx context.Context, root string) (*tracer, error) {
	dir, err := os.MkdirTemp("", "threadcall-lab-")
	if err != nil {
		return nil, err
	}
	command := filepath.Join(dir, "threadcall")
	if runtime.GOOS == "windows" {
		command += ".exe"
	}
	build := sync.OnceValue(func() error {
		build := exec.CommandContext(ctx, "go", "build", "-o", command, ".")
		build.Dir = filepath.Join(root, "cmd", "threadcall")
		build.Env = append(build.Environ(), "GOTMPDIR="+dir) // what it leaves when it is killed is removed
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("building the command threadcall: %w\n%s", err, out)
		}
		return nil
	})
	return &tracer{ctx: ctx, dir: dir, command: command, build: build}, nil
}

func (t *tracer) close() { _ = os.RemoveAll(t.dir) }

// report runs the job with tracing on and returns the report of threadcall trace.
func (t *tracer) report(j job) (r traceReport, err error) {
	if err := t.build(); err != nil {
		return r, err
	}
	t.number++
	j.Trace = filepath.Join(t.dir, fmt.Sprintf("%d.trace", t.number))
	defer os.Remove(j.Trace)
	if err := j.run(); err != nil {
		return r, err
	}
	cmd := exec.CommandContext(t.ctx, t.command, "trace", "-json", j.Trace)
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		return r, fmt.Errorf("threadcall trace -json on %s: %w\n%s", j.Name, err, strings.TrimSpace(problems.String()))
	}
	if err := json.Unmarshal(out, &r); err != nil {
		return r, fmt.Errorf("what threadcall trace -json wrote of %s: %w", j.Name, err)
	}
	if r.Trace.Truncated || r.Trace.Events == 0 {
		return r, fmt.Errorf("threadcall trace read %d events of %s: %s", r.Trace.Events, j.Name, strings.Join(r.Warnings, "; "))
	}
	return r, nil
}

// function sums up the goroutines that began with the function of this program whose name this is, or with one inside it.
func (r traceReport) function(name string) (sum traceFunction) {
	for _, f := range r.Functions {
		_, short, _ := strings.Cut(f.Name[strings.LastIndex(f.Name, "/")+1:], ".")
		if short == name || strings.HasPrefix(short, name+".") {
			sum.Goroutines += f.Goroutines
			sum.Executions += f.Executions
			sum.Moves += f.Moves
		}
	}
	return sum
}

// sweeps returns how often the runtime's sweeping goroutine ran.
func (r traceReport) sweeps() (executions uint64) {
	for _, f := range r.Functions {
		if f.Name == "runtime.bgsweep" {
			executions += f.Executions
		}
	}
	return executions
}

// findRoot returns the directory of the project, which is the current one or one above it.
func findRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(text), "module github.com/threadcall/threadcall\n") {
			return dir, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", errors.New("run the lab inside the project's source: it builds cmd/threadcall")
		}
		dir = parent
	}
}
