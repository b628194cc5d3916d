package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"runtime/trace"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/analysis"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/internal/bench"
)

// traced is what the trace of a work has.
type traced struct {
	*report.Report
	total time.Duration
}

// trace does the work on a goroutine that begins with function worker, as often as a median with
// bounds needs. Keeping the trace in memory until the work is done takes heap; writing it takes Ps
// from threads.
func (l *lab) trace(procs int, inMemory bool, work func()) (all []traced, err error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	for range leastRounds {
		t, err := traceOnce(inMemory, work)
		if err = errors.Join(err, l.ctx.Err()); err != nil {
			return nil, err
		}
		all = append(all, t)
	}
	return all, nil
}

func traceOnce(inMemory bool, work func()) (t traced, err error) {
	var to io.ReadWriter = &bytes.Buffer{}
	if !inMemory {
		file, err := os.CreateTemp("", "threadcall-lab-")
		if err != nil {
			return t, err
		}
		defer os.Remove(file.Name())
		defer file.Close()
		to = file
	}
	runtime.GC()
	if err := trace.Start(to); err != nil {
		return t, err
	}
	start, ended := time.Now(), make(chan bool)
	go worker(work, ended)
	<-ended
	t.total = time.Since(start)
	trace.Stop()
	if file, ok := to.(*os.File); ok {
		if _, err := file.Seek(0, io.SeekStart); err != nil {
			return t, err
		}
	}
	t.Report, err = analysis.Trace(to, analysis.Options{})
	return t, err
}

func worker(work func(), ended chan bool) {
	defer close(ended)
	work()
}

// each has a number of each of the traces.
func each(all []traced, number func(traced) float64) (s series) {
	for _, t := range all {
		s = append(s, number(t))
	}
	return s
}

// function sums up the goroutines that began with the function.
func function(r *report.Report, name string) (sum report.Function) {
	for _, f := range r.Functions {
		if f.Name == name {
			sum.Goroutines += f.Goroutines
			sum.Executions += f.Executions
			sum.Moves += f.Moves
			sum.Runnable += f.Runnable
		}
	}
	return sum
}

// counted returns the number of the events with the name.
func counted(all []report.Count, name string) (n float64) {
	for _, c := range all {
		if c.Name == name {
			n += float64(c.N)
		}
	}
	return n
}

// cost writes what one operation takes from the heap, without what the runtime allocates now and
// then by itself.
func cost(op func()) string {
	bytes, objects := bench.Memory(5_000, op)
	return fmt.Sprintf("%.0f B in %.0f", bytes, objects)
}

const subjects = "github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"

var message = regexp.MustCompile(`subject\.go:(\d+):\d+: (.*)`)

// compile asks the compiler about package subject and returns what it writes, by function.
func (l *lab) compile(flags string) (map[string]string, error) {
	out, err := exec.CommandContext(l.ctx, "go", "build", "-gcflags="+subjects+"="+flags,
		subjects).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go build -gcflags='%s': %w: %s", flags, err, out)
	}
	source, messages := strings.Split(subject.Source, "\n"), map[string]string{}
	for _, found := range message.FindAllStringSubmatch(string(out), -1) {
		line, _ := strconv.Atoi(found[1])
		for ; line > 0; line-- {
			if rest, ok := strings.CutPrefix(source[line-1], "func "); ok {
				name, _, _ := strings.Cut(rest, "(")
				messages[name] = strings.TrimPrefix(messages[name]+", `"+strings.TrimSpace(found[2])+"`", ", ")
				break
			}
		}
	}
	return messages, nil
}
