//go:build linux

// Counters of many network namespaces, each read on a thread that has been prepared for its
// namespace.
//
//	go -C examples/netns run .     # as root
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"sync/atomic"
	"time"

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

func run(n int) error {
	all, err := open(n)
	if err != nil {
		return err
	}
	threads := keyed.New(enter) // where namespaces have names, enter would open the handle
	defer threads.Close()
	start := time.Now()
	for range 2 {
		for _, ns := range all {
			if err := threads.Call(context.Background(), ns.handle,
				func() error { return nil }); err != nil {
				return err
			}
		}
		fmt.Printf("%d namespaces, one after the other, in %v\n", n,
			time.Since(start).Round(time.Microsecond))
		start = time.Now() // the threads are there now
	}

	var next atomic.Uint64
	if !check.Calls(fmt.Sprintf("netns, %d namespaces", n), func() bool {
		ns := all[next.Add(1)%uint64(len(all))] // one after the other
		var mark int
		err := threads.Call(context.Background(), ns.handle, func() (err error) {
			mark, err = readSys()
			return err
		})
		if err != nil {
			log.Print("netns: ", err)
		}
		return err == nil && mark == ns.mark
	}) {
		return errors.New("a figure is that of another namespace")
	}
	return nil
}
