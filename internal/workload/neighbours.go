package workload

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/threadcall/threadcall/internal/self"
)

// Neighbours is Burst while other processes want every core.
func Neighbours(s Subject, x Extent) (Result, error) {
	stop, err := StartNeighbours()
	if err != nil {
		return Result{}, err
	}
	defer stop()
	return Burst(s, x), nil
}

const neighbour = "THREADCALL_NEIGHBOUR" // in the environment of one

// StartNeighbours starts one computing process for each core and returns when they compute. They are this program again,
// which must call MaybeBurn. They end by stop, which may be called more than once, or with this process.
func StartNeighbours() (stop func(), err error) {
	if os.Getenv(neighbour) != "" {
		return nil, errors.New("a neighbour of its own: call workload.MaybeBurn first thing in main")
	}
	var stops []func()
	stop = sync.OnceFunc(func() {
		for _, stop := range stops {
			stop()
		}
	})
	for range runtime.NumCPU() {
		end, err := startNeighbour()
		if err != nil {
			stop()
			return nil, fmt.Errorf("starting a neighbour: %w", err)
		}
		stops = append(stops, end)
	}
	return stop, nil
}

func startNeighbour() (stop func(), err error) {
	c, err := self.Command()
	if err != nil {
		return nil, err
	}
	c.Env = append(os.Environ(), neighbour+"=1")
	c.Stderr = os.Stderr
	life, err := c.StdinPipe()
	if err != nil {
		return nil, err
	}
	burns, err := c.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := c.Start(); err != nil {
		return nil, err
	}
	stop = func() {
		life.Close()
		c.Process.Kill()
		c.Wait()
	}
	if _, err := io.ReadFull(burns, make([]byte, 1)); err != nil {
		stop()
		return nil, err
	}
	return stop, nil
}

// MaybeBurn does nothing, unless this process is a neighbour. Then it computes, and ends the process when the one that
// started it has ended. It belongs at the beginning of main or TestMain.
func MaybeBurn() {
	if os.Getenv(neighbour) == "" {
		return
	}
	go func() {
		io.Copy(io.Discard, os.Stdin) // ends with the process at its other end
		os.Exit(0)
	}()
	os.Stdout.WriteString("\n")
	for {
		compute()
	}
}
