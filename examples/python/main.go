// CPython in a Go program: an interpreter that lives on one thread, and goroutines that call its functions.
//
//	go -C examples/python run .
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/threadcall/threadcall/examples/internal/meter"
)

const code = `
import threading
local = threading.local()

def square(n):
    return n * n

def count(n): # the calls, as this thread knows them
    local.calls = getattr(local, "calls", 0) + 1
    return local.calls
`

func main() {
	flag.Parse()
	if err := compare(); err != nil {
		log.Fatal("python: ", err)
	}
}

func compare() error {
	py, err := start(code)
	if err != nil {
		return err
	}
	defer py.thread.Close()
	right := meter.Compare("python, a function", meter.Loads,
		meter.Way{Name: "PyGILState_Ensure in each call", Call: ensured("square").squares},
		meter.Way{Name: "threadcall", Call: py.function("square").squares},
	)
	here, there := py.function("count"), ensured("count")
	var counts [2]int
	for range 1000 {
		for i, count := range []function{there, here} {
			if counts[i], err = count(0); err != nil {
				return err
			}
		}
	}
	fmt.Printf("calls that threading.local remembers after 1000: %d, threadcall %d\n", counts[0], counts[1])
	if !right {
		return errors.New("a result is wrong")
	}
	return nil
}

// squares reports whether f has returned the square of a number.
func (f function) squares() bool {
	n := rand.IntN(1 << 30)
	square, err := f(n)
	return err == nil && square == n*n
}
