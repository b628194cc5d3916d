//go:build linux

// Counters of many network namespaces, each read on a thread that has been prepared for its namespace.
//
//	go -C examples/netns run .     # as root
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vishvananda/netns"

	"github.com/threadcall/threadcall/examples/internal/meter"
	"github.com/threadcall/threadcall/thread"
)

func main() {
	n := flag.Int("namespaces", 50, "make so many")
	flag.Parse()
	if err := compare(*n); err != nil {
		log.Fatal("netns: ", err)
	}
}

// A way runs f in a namespace.
type way func(ns netns.NsHandle, f func() error) error

func compare(n int) error {
	all, err := open(n)
	if err != nil {
		return err
	}
	threads := thread.NewKeyed(enter) // where namespaces have names, it would open and close the handle
	defer threads.Close()
	keyed := func(ns netns.NsHandle, f func() error) error {
		return threads.Call(context.Background(), ns, f)
	}
	home := mountNamespace()
	for _, w := range []struct {
		name string
		way
	}{
		{"threadcall, first", keyed},
		{"threadcall, again", keyed},
		{"a thread for each call", spend},
		{"mounts in each call", visitSys},
	} {
		start := time.Now()
		if err := scrape(all, w.way); err != nil {
			return err
		}
		fmt.Printf("%-24s %d namespaces in %5.0f ms; then %2d threads; of 2000 goroutines, %d in a foreign mount namespace\n", w.name,
			n, time.Since(start).Seconds()*1000, countThreads(), astray(home))
	}
	fmt.Println()
	proc := meter.Compare(fmt.Sprintf("netns, %d namespaces, /proc", n), meter.Loads,
		meter.Way{Name: "LockOSThread and Set in each call", Call: calls(all, visit, readProc)},
		meter.Way{Name: "threadcall, Keyed", Call: calls(all, keyed, readProc)},
	)
	sys := meter.Compare(fmt.Sprintf("netns, %d namespaces, /sys", n), meter.Loads,
		meter.Way{Name: "mounts in each call", Call: calls(all, visitSys, readSys)},
		meter.Way{Name: "a thread for each call", Call: calls(all, spend, readSys)},
		meter.Way{Name: "threadcall, Keyed", Call: calls(all, keyed, readSys)},
	)
	if !proc || !sys {
		return errWrong
	}
	return nil
}

var errWrong = errors.New("a figure is that of another namespace")

// calls returns a function that reads in one namespace after the other, and reports whether that was the right one.
func calls(all []namespace, in way, read func() (int, error)) func() bool {
	var next atomic.Uint64
	return func() bool {
		ns := all[next.Add(1)%uint64(len(all))]
		var mark int
		err := in(ns.handle, func() (err error) {
			mark, err = read()
			return err
		})
		if err != nil {
			log.Print("netns: ", err)
		}
		return err == nil && mark == ns.mark
	}
}

// scrape reads in all namespaces, with 8 goroutines.
func scrape(all []namespace, in way) error {
	call := calls(all, in, readSys)
	var left, wrong atomic.Int64
	left.Store(int64(len(all)))
	var readers sync.WaitGroup
	for range 8 {
		readers.Go(func() {
			for left.Add(-1) >= 0 {
				if !call() {
					wrong.Add(1)
				}
			}
		})
	}
	readers.Wait()
	if wrong.Load() > 0 {
		return errWrong
	}
	return nil
}

// astray returns how many of 2,000 goroutines run in another mount namespace than home.
func astray(home string) int {
	var n atomic.Int64
	var all sync.WaitGroup
	for range 2000 {
		all.Go(func() {
			if mountNamespace() != home {
				n.Add(1)
			}
		})
	}
	all.Wait()
	return int(n.Load())
}

// mountNamespace returns that of the thread which calls it.
func mountNamespace() string {
	name, _ := os.Readlink("/proc/thread-self/ns/mnt")
	return name
}

// countThreads returns the number of threads of this process.
func countThreads() int {
	tasks, _ := os.ReadDir("/proc/self/task")
	return len(tasks)
}
