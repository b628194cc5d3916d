// Command sixminutes repeats the measurement with which the article "Scheduling Function Calls with
// Zero Allocation" ends: two windows, open for six minutes, and how the heap grows. It does so for
// the article's designs and for threadcall, each in a process of its own, at the same time, so that
// whatever else the machine does affects all of them, and prints a table in Markdown.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/bench"
)

func main() {
	runtime.LockOSThread() // the main thread, which some designs serve by themselves
	duration := flag.Duration("for", 6*time.Minute, "how `long` to measure")
	only := flag.String("only", "", "measure this `design` in this process")
	flag.Parse()
	run := all
	for _, d := range designs {
		if d.name == *only {
			run = d.measure
		}
	}
	if err := run(*duration); err != nil {
		fmt.Fprintf(os.Stderr, "sixminutes: %v\n", err)
		os.Exit(1)
	}
}

// all measures all designs, each in a process of its own.
func all(duration time.Duration) error {
	fmt.Fprintf(os.Stderr, "measuring for %v\n", duration)
	columns, failures := make([][]string, len(designs)), make([]error, len(designs))
	var running sync.WaitGroup
	for i, d := range designs {
		running.Go(func() {
			cmd := exec.Command(os.Args[0], "-only", d.name, "-for", duration.String())
			cmd.Stderr = os.Stderr
			text, err := cmd.Output()
			if columns[i] = strings.Split(string(text), "\n"); err != nil {
				failures[i] = fmt.Errorf("%s: %w", d.name, err)
			}
		})
	}
	running.Wait()
	if err := errors.Join(failures...); err != nil {
		return err
	}
	for i, name := range []string{"", "---", "heap growth between two collections",
		"allocated in all",
		"mallocs a frame", "frames a second, each window", "CPU, of one core"} {
		fmt.Printf("| %s |", name)
		for _, c := range columns {
			fmt.Printf(" %s |", c[i])
		}
		fmt.Println()
	}
	return nil
}

// measure measures a design and prints its column. It runs on the main thread.
func (d design) measure(duration time.Duration) error {
	m := &meter{duration: duration, ended: make(chan struct{})}
	if err := d.run(m); err != nil {
		return err
	}
	if !m.over.Load() {
		return errors.New("a window was closed before the time was up")
	}
	<-m.ended
	fmt.Printf("%s\n---\n%s", d.title, m.column())
	return nil
}

// A meter takes samples of the heap each second while the windows are shown, and allocates nothing
// meanwhile. Nothing is collected for it: the heap is what the trace of the article shows as
// allocated, garbage included.
type meter struct {
	duration time.Duration
	frames   atomic.Uint64 // of all windows, counted by the design
	over     atomic.Bool   // the windows are to close
	ended    chan struct{}

	first, last sample
	low         sample // the first since the last collection
	growth      uint64 // the most by which the heap grew between two collections
	stats       runtime.MemStats
}

// A sample is what the process holds at one moment, and what it has done since it began.
type sample struct {
	at                   time.Time
	heap, bytes, objects uint64 // now; allocated so far
	collections          uint32
	cpu                  time.Duration
	frames               uint64
}

// run takes samples until the time is up.
func (m *meter) run() {
	defer close(m.ended)
	defer m.over.Store(true)
	time.Sleep(min(5*time.Second, m.duration)) // in which the first frames allocate
	runtime.GC()
	runtime.GC() // pools give up in the second what they kept in the first
	m.take()
	m.first, m.low = m.last, m.last
	for range max(2, m.duration/time.Second) {
		time.Sleep(time.Second)
		m.take()
	}
}

func (m *meter) take() {
	runtime.ReadMemStats(&m.stats)
	m.last = sample{time.Now(), m.stats.HeapAlloc, m.stats.TotalAlloc, m.stats.Mallocs,
		m.stats.NumGC,
		bench.CPUTime(), m.frames.Load()}
	if m.last.collections != m.low.collections {
		m.low = m.last
	}
	m.growth = max(m.growth, m.last.heap-min(m.low.heap, m.last.heap))
}

func (m *meter) column() string {
	seconds := m.last.at.Sub(m.first.at).Seconds()
	frames := float64(m.last.frames - m.first.frames)
	return fmt.Sprintf("%.1f KiB\n%.1f KiB\n%.4f\n%.1f\n%.1f %%", float64(m.growth)/1024,
		float64(m.last.bytes-m.first.bytes)/1024,
		float64(m.last.objects-m.first.objects)/max(frames, 1),
		frames/windows/seconds, 100*(m.last.cpu-m.first.cpu).Seconds()/seconds)
}
