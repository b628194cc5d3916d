// Program allocates what is known, and ends with the status in its argument, or after an interrupt.
package main

import (
	"os"
	"os/signal"
	"strconv"

	"github.com/threadcall/threadcall/recorder"
)

var (
	kept [][]byte
	last *[64]byte
)

func keep(n int) {
	kept = append(kept, make([]byte, n))
	last = &[64]byte{}
}

func main() {
	for range 1000 {
		keep(3000)
	}
	status := 0
	if len(os.Args) > 1 && os.Args[1] == "wait" {
		interrupted := make(chan os.Signal, 1)
		signal.Notify(interrupted, os.Interrupt)
		println("waiting")
		<-interrupted
	} else if len(os.Args) > 1 {
		status, _ = strconv.Atoi(os.Args[1])
	}
	recorder.Stop()
	os.Exit(status)
}
