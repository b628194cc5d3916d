// Program allocates what is known, and ends with the status that it is told.
package main

import (
	"os"
	"strconv"

	"github.com/threadcall/threadcall/recorder"
)

var kept [][]byte

func keep(n int) {
	kept = append(kept, make([]byte, n))
}

func main() {
	for range 1000 {
		keep(3000)
	}
	status := 0
	if len(os.Args) > 1 {
		status, _ = strconv.Atoi(os.Args[1])
	}
	recorder.Stop()
	os.Exit(status)
}
