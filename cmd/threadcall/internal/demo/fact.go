package demo

import (
	"fmt"
	"iter"
	"time"
)

// A Fact is something that the library promises, what should have been seen of it, and what has been seen.
type Fact struct {
	Claim    string `json:"claim"`
	Expected string `json:"expected"`
	Seen     string `json:"seen"`
	OK       bool   `json:"ok"`              // they are the same
	Hung     bool   `json:"-"`               // nothing was seen, and whatever waits for the same will hang as well
	Calls    []Call `json:"calls,omitempty"` // that it is about, if there are many
}

// An experiment finds out whether a claim holds.
type experiment struct {
	claim string
	do    func(f *Fact) // sets Expected and Seen
}

// perform does the experiments one after the other. One that does not end within patience is a wrong fact and the last:
// those after it would wait for the same thread.
func perform(experiments []experiment, patience time.Duration) iter.Seq[Fact] {
	return func(yield func(Fact) bool) {
		for _, e := range experiments {
			f := e.perform(patience)
			if !yield(f) || f.Hung {
				return
			}
		}
	}
}

func (e experiment) perform(patience time.Duration) Fact {
	result := make(chan Fact, 1)
	go func() {
		f := Fact{Claim: e.claim, Expected: "an answer", Seen: "the end of the goroutine that asked"}
		defer func() { result <- f }() // also if the experiment panics or calls Goexit, which it should not
		defer func() {
			if v := recover(); v != nil {
				f.Seen = fmt.Sprintf("the panic %v", v)
			}
		}()
		e.do(&f)
		f.OK = f.Expected == f.Seen
	}()
	select {
	case f := <-result:
		return f
	case <-time.After(patience):
		return Fact{Claim: e.claim, Expected: "an answer", Seen: fmt.Sprintf("none in %v", patience), Hung: true}
	}
}
