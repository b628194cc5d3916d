// CPython in a Go program: an interpreter that lives on one thread, and goroutines that call its
// functions.
//
//	go -C examples/python run .
package main

import (
	"errors"
	"fmt"
	"log"
	"math/rand/v2"

	"github.com/threadcall/threadcall/examples/internal/check"
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
	if err := run(); err != nil {
		log.Fatal("python: ", err)
	}
}

func run() error {
	py, err := start(code)
	if err != nil {
		return err
	}
	defer py.thread.Close()
	square, count := py.function("square"), py.function("count")
	right := check.Calls("python, a function", func() bool {
		n := rand.IntN(1 << 30)
		result, err := square(n)
		return err == nil && result == n*n
	})
	calls := 0
	for range 1000 {
		if calls, err = count(0); err != nil {
			return err
		}
	}
	fmt.Println("calls that threading.local remembers after 1000:", calls)
	if !right {
		return errors.New("a result is wrong")
	}
	return nil
}
