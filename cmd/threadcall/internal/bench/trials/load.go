package main

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
)

// asLoad is set, to a seed, in the process that is the load.
const asLoad = "THREADCALL_TRIALS_LOAD"

// startLoad starts a load that comes and goes: two goroutines of another process, each of which computes and rests for
// random times, so that none, one or two cores are wanted.
func startLoad(seed uint64, mean time.Duration) (stop func(), err error) {
	cmd, err := testutil.Command()
	if err != nil {
		return nil, err
	}
	cmd.Env = append(os.Environ(), asLoad+"="+strconv.FormatUint(seed, 10)+" "+mean.String())
	in, err := cmd.StdinPipe() // the load ends when this ends
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return func() {
		in.Close()
		_ = cmd.Wait()
	}, nil
}

// beLoad computes and rests until standard input ends.
func beLoad(seed uint64, mean time.Duration) {
	done := make(chan struct{})
	var running sync.WaitGroup
	for i := range uint64(2) {
		random := rand.New(rand.NewPCG(seed, i))
		some := func() time.Duration { return time.Duration(random.ExpFloat64() * float64(mean)) }
		running.Go(func() {
			for {
				for end := time.Now().Add(some()); time.Now().Before(end); {
				}
				select {
				case <-done:
					return
				case <-time.After(some()):
				}
			}
		})
	}
	_, _ = os.Stdin.Read(make([]byte, 1))
	close(done)
	running.Wait()
}
