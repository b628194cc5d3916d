package meter

import (
	"io"
	"log"
	"os"
	"os/exec"
)

const burning = "THREADCALL_EXAMPLE_BURNS" // in the environment of a process that does nothing else

// burn starts n processes that use all the CPU time they get, until stop is called or this process ends. They are this
// program again.
func burn(n int) (stop func()) {
	var stops []func()
	for range n {
		program, err := os.Executable()
		if err != nil {
			log.Fatal("meter: ", err)
		}
		cmd := exec.Command(program)
		cmd.Env = append(os.Environ(), burning+"=1")
		life, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			log.Fatal("meter: ", err)
		}
		stops = append(stops, func() {
			life.Close()
			cmd.Wait()
		})
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

func init() {
	if os.Getenv(burning) == "" {
		return
	}
	go func() {
		for n := 0; n >= 0; n++ {
		}
	}()
	io.Copy(io.Discard, os.Stdin) // ends with the process at its other end
	os.Exit(0)
}
