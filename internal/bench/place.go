package bench

import (
	"os"
	"sync"
)

const (
	placement = "THREADCALL_PLACEMENT" // in the environment

	anywhere = ""
	one      = "one"
	two      = "two"
)

var placed = anywhere

// Place does what the variable THREADCALL_PLACEMENT of the environment says, and returns that:
// nothing if it is empty; with "one", all threads of this process are held on one core; with "two",
// all but those given to [Hold], which are held on another. It belongs before everything else but
// MaybeBurn.
func Place() (how string, err error) {
	how = os.Getenv(placement)
	if how == anywhere {
		return how, nil
	}
	if err := place(how); err != nil {
		return "", err
	}
	placed = how
	return how, nil
}

// Hold moves the threads of s, which are so many, to the other core if the placement is "two".
// Release moves them back.
func Hold(s Subject, threads int) (release func()) {
	if placed != two {
		return nop
	}
	all := func(f func()) {
		var running sync.WaitGroup
		running.Add(threads)
		for range threads {
			s.Go(func() {
				f()
				running.Done()
				running.Wait() // so that each runs on a thread of its own
			})
		}
		running.Wait()
	}
	all(func() { pin(far) })
	return func() { all(func() { pin(near) }) }
}

// hold is Hold of the calling thread.
func hold() (release func()) {
	if placed != two {
		return nop
	}
	pin(far)
	return func() { pin(near) }
}
