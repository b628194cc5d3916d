//go:build linux && (amd64 || arm64)

// CUDA's driver API on one thread, called from many goroutines: what a call costs through
// threadcall, through a channel to a locked goroutine, and on a locked goroutine itself.
//
//	go -C examples/cuda run .
//
// It needs no header and no C compiler. Without a driver it says so, and ends with status 0.
package main

import (
	"flag"
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"github.com/threadcall/threadcall/thread"
)

var (
	rounds   = flag.Int("rounds", 4, "")
	duration = flag.Duration("for", 300*time.Millisecond, "of each measurement")
)

func main() {
	flag.Parse()
	if err := openDriver(); err != nil {
		fmt.Printf("cuda: no driver, nothing was measured: %v\n", err)
		return
	}
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	var g *gpu
	t, err := thread.Start(thread.WithName("cuda"),
		thread.WithStart(func() (err error) { g, err = openGPU(); return err }))
	if err != nil {
		return err
	}
	defer t.Close()
	defer t.Call(func() { _ = g.close() })
	channel, end, err := overChannel(g)
	if err != nil {
		return err
	}
	defer end()
	ways := []way{{"threadcall", func(f func()) { t.Call(f) }}, {"channel", channel}, {"locked", nil}}
	fmt.Printf("%s, %d cores, GOMAXPROCS %d, %s\n", g.name(), runtime.NumCPU(), runtime.GOMAXPROCS(0),
		runtime.Version())
	m := measurement{gpu: g}
	for range *rounds {
		for _, l := range loads {
			for _, w := range ways {
				if err := m.measure(l, w); err != nil {
					return err
				}
			}
		}
	}
	m.print(ways)
	fmt.Printf("cuda: %d calls, %d of them wrong\n", m.calls, m.wrong)
	if m.wrong > 0 {
		os.Exit(1)
	}
	return nil
}

// A way runs functions on a thread on which the context is current. In place, if do is nil.
type way struct {
	name string
	do   func(f func())
}

// overChannel is what programs write by hand, such as gorgonia's cu.Ctx and mumax's Inject.
func overChannel(g *gpu) (do func(func()), end func(), err error) {
	type job struct {
		f    func()
		done chan struct{}
	}
	jobs, begun := make(chan job, runtime.GOMAXPROCS(0)), make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread ends with the goroutine
		begun <- g.use()
		for j := range jobs {
			j.f()
			j.done <- struct{}{}
		}
	}()
	dones := sync.Pool{New: func() any { return make(chan struct{}) }}
	return func(f func()) {
		done := dones.Get().(chan struct{})
		jobs <- job{f, done}
		<-done
		dones.Put(done)
	}, func() { close(jobs) }, <-begun
}

// A load is steps of some goroutines: launches, then a read, if there is one.
type load struct {
	name       string
	goroutines int
	launches   int
	reads      bool
	pause      time.Duration // between steps
}

var loads = []load{
	{"an asynchronous launch, closed loop", 1, 1, false, 0},
	{"50 launches and a read of 16 bytes", 1, 50, true, 0},
	{"20 launches and a read, each 2 ms", 1, 20, true, 2 * time.Millisecond},
	{"64 goroutines, each 10 launches and a read", 64, 10, true, 0},
}

// A measurement collects what all rounds have measured.
type measurement struct {
	gpu          *gpu
	calls, wrong int
	results      map[string]*result // by load and way
}

type result struct {
	steps []time.Duration
	cpu   time.Duration // of the process
}

// measure makes steps of a load for a while. Each read must show what the launches have added.
func (m *measurement) measure(l load, w way) error {
	if w.do == nil && l.goroutines > 1 {
		return nil // there is one locked goroutine
	}
	var mu sync.Mutex
	var failed error
	all, cpu := new(result), cpuTime()
	until := time.Now().Add(*duration)
	var workers sync.WaitGroup
	for range l.goroutines {
		workers.Go(func() {
			s, err := m.steps(l, w, until)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				failed = err
			}
			all.steps = append(all.steps, s.took...)
			m.calls += s.calls
			m.wrong += s.wrong
		})
	}
	workers.Wait()
	all.cpu = cpuTime() - cpu
	if m.results == nil {
		m.results = map[string]*result{}
	}
	if r := m.results[l.name+w.name]; r != nil {
		all.steps, all.cpu = append(all.steps, r.steps...), all.cpu+r.cpu
	}
	m.results[l.name+w.name] = all
	return failed
}

type series struct {
	took         []time.Duration
	calls, wrong int
}

func (m *measurement) steps(l load, w way, until time.Time) (s series, err error) {
	do := w.do
	if do == nil {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if err := m.gpu.use(); err != nil {
			return s, err
		}
		do = func(f func()) { f() }
	}
	run := func(f func() error) { // in a call of its own
		do(func() {
			if e := f(); e != nil {
				err = e
			}
		})
	}
	var n *numbers
	run(func() (err error) { n, err = m.gpu.numbers(); return err })
	if err != nil {
		return s, err
	}
	defer run(n.free)
	run(n.clear)
	launch := func() { // made once: a call allocates nothing
		if e := n.launch(); e != nil {
			err = e
		}
	}
	for added := uint32(0); err == nil && (added == 0 || time.Now().Before(until)); {
		start := time.Now()
		for range l.launches {
			do(launch)
			added++
		}
		if l.reads {
			run(n.fetch)
		}
		s.took = append(s.took, time.Since(start))
		s.calls += l.launches + 1
		if l.reads && n.read != [4]uint32{added, added, added, added} {
			s.wrong++
		}
		time.Sleep(l.pause)
	}
	run(n.fetch) // what is still under way
	return s, err
}

// print prints a table of all loads.
func (m *measurement) print(ways []way) {
	fmt.Println("| a step, µs: mean; p50; p99; CPU time of the process " +
		"| threadcall | channel | locked |\n| --- | --- | --- | --- |")
	µs := func(d time.Duration) float64 { return float64(d) / 1e3 }
	for _, l := range loads {
		fmt.Printf("| %s |", l.name)
		for _, w := range ways {
			r := m.results[l.name+w.name]
			if r == nil || len(r.steps) == 0 {
				fmt.Print(" - |")
				continue
			}
			slices.Sort(r.steps)
			n, sum := len(r.steps), time.Duration(0)
			for _, d := range r.steps {
				sum += d
			}
			fmt.Printf(" %.1f; %.1f; %.1f; %.1f |", µs(sum)/float64(n), µs(r.steps[n/2]),
				µs(r.steps[n*99/100]), µs(r.cpu)/float64(n))
		}
		fmt.Println()
	}
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
