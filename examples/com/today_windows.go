package main

import "runtime"

// existsAlone makes an apartment for one call: what programs do that have no thread for it.
func existsAlone(path string) (bool, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	object, err := enter()
	if err != nil {
		return false, err
	}
	defer leave(object)
	return folderExists(object, path)
}

// A channel leads to a locked goroutine: what programs do that have a thread for it.
type channel chan request

type request struct {
	path   string
	result chan answer
}

type answer struct {
	there bool
	err   error
}

func startChannel() (channel, error) {
	c := make(channel)
	entered := make(chan error)
	go func() {
		runtime.LockOSThread() // and never unlocks: the thread ends with the goroutine
		object, err := enter()
		if entered <- err; err != nil {
			return
		}
		defer leave(object)
		for r := range c {
			there, err := folderExists(object, r.path)
			r.result <- answer{there, err}
		}
	}()
	return c, <-entered
}

func (c channel) exists(path string) (bool, error) {
	result := make(chan answer, 1)
	c <- request{path, result}
	a := <-result
	return a.there, a.err
}
