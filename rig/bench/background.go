package bench

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
)

// in the environment of such a process: for how long it sleeps
const background = "THREADCALL_BACKGROUND"

// Background starts n processes and returns when they compute. Each computes for a millisecond and
// sleeps for the given time, in a loop, on any core. They are this program again, which must call
// MaybeBurn. They end by stop, which may be called more than once, or with this process.
func Background(n int, sleep time.Duration) (stop func(), err error) {
	if os.Getenv(background) != "" {
		return nil, errors.New("background load of background load: call bench.MaybeBurn first " +
			"thing in main")
	}
	var all []*exec.Cmd
	stop = sync.OnceFunc(func() {
		for _, c := range all {
			c.Process.Kill()
			c.Wait()
		}
	})
	for range n {
		c, err := testutil.Command()
		if err != nil {
			return nil, err // the first time, or never
		}
		c.Env, c.Stderr = append(os.Environ(), background+"="+sleep.String()), os.Stderr
		_, noLife := c.StdinPipe() // which ends with this process
		burns, noWord := c.StdoutPipe()
		if err = errors.Join(noLife, noWord, c.Start()); err == nil {
			all = append(all, c)
			_, err = io.ReadFull(burns, make([]byte, 1))
		}
		if err != nil {
			stop()
			return nil, fmt.Errorf("starting background load: %w", err)
		}
	}
	return stop, nil
}

// MaybeBurn does nothing, unless this process is background load. Then it computes and sleeps, with
// niceness 0 if it may, and ends the process when the one that started it has ended. It belongs at
// the beginning of main or TestMain.
func MaybeBurn() {
	sleep, err := time.ParseDuration(os.Getenv(background))
	if err != nil {
		return
	}
	go func() {
		io.Copy(io.Discard, os.Stdin) // ends with the process at its other end
		os.Exit(0)
	}()
	runtime.LockOSThread()
	resetNice()
	os.Stdout.WriteString("\n")
	for {
		for start := time.Now(); time.Since(start) < time.Millisecond; {
			compute(10)
		}
		time.Sleep(sleep)
	}
}
