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

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/keyed"
)

func main() {
	n := flag.Int("namespaces", 50, "make so many")
	flag.Parse()
	if err := run(*n); err != nil {
		log.Fatal("netns: ", err)
	}
}

// A way runs f in a namespace.
type way func(ns netns.NsHandle, f func() error) error

func run(n int) error {
	all, err := open(n)
	if err != nil {
		return err
	}
	threads := keyed.New(enter, nil) // where namespaces have names, it would open and close the handle
	defer threads.Close()
	keyed := func(ns netns.NsHandle, f func() error) error {
		return threads.Call(context.Background(), ns, f)
	}
	home := mountNamespace()
	for _, round := range []string{"first", "again"} {
		start := time.Now()
		if err := scrape(all, keyed); err != nil {
			return err
		}
		fmt.Printf("%s: %d namespaces in %.0f ms; then %d threads; of 2000 goroutines, %d in a foreign mount namespace\n", round, n, time.Since(start).Seconds()*1000, countThreads(), astray(home))
	}
	proc := check.Calls(fmt.Sprintf("netns, %d namespaces, /proc", n), calls(all, keyed, readProc))
	if sys := check.Calls(fmt.Sprintf("netns, %d namespaces, /sys", n), calls(all, keyed, readSys)); !proc || !sys {
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
