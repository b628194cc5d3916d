package recorderhttp

import (
	"slices"
	"sync"
	"time"

	"github.com/threadcall/threadcall/internal/access"
	"github.com/threadcall/threadcall/internal/clock"
)

// memory is what all handlers have seen, for waits without a clock, and counts of the last minute.
var memory struct {
	mu      sync.Mutex
	threads map[uint64]*history // by ID
	busy    map[string]float64  // the greatest that was shown, by name
}

// A history has samples of one thread or pool, the oldest first. A function that is queued was
// queued at the time of a sample if fewer have left the queue since the beginning than had been
// queued then. So it has waited at least since the first such sample.
type history struct{ samples []sample }

type sample struct {
	at   time.Time
	ever uint64 // functions that have left the queue or were queued
	span        // since the thread was made
}

type seen struct {
	oldestWait time.Duration // at least
	before     *sample       // of a minute ago, or the oldest; nil at the first look
}

const maxSamples = 64

// look returns the states of all threads and pools, what else is known of each, and counts by name.
func look(now time.Time) (states []access.State, known []seen, names map[string]*access.Name) {
	memory.mu.Lock()
	defer memory.mu.Unlock()
	states, names = access.States()
	alive := make(map[uint64]*history, len(states))
	for _, s := range states {
		h := memory.threads[s.ID]
		if h == nil {
			h = new(history)
		}
		alive[s.ID] = h
		known = append(known, h.look(now, s))
	}
	memory.threads = alive
	return states, known, names
}

func (h *history) look(now time.Time, s access.State) (x seen) {
	if clock.InBubble() { // whose time is another
		return x
	}
	needed := len(h.samples) // the first from which the wait is known
	for i := len(h.samples) - 1; i >= 0 && s.Stats.Queued > 0 &&
		h.samples[i].ever > s.Stats.Left; i-- {
		needed = i
	}
	if needed < len(h.samples) {
		x.oldestWait = max(0, now.Sub(h.samples[needed].at))
	}
	recent := 0 // the last that is a minute old
	for recent+1 < len(h.samples) && now.Sub(h.samples[recent+1].at) >= time.Minute {
		recent++
	}
	if len(h.samples) > 0 {
		before := h.samples[recent]
		x.before = &before
	}
	h.samples = append(slices.Delete(h.samples, 0, min(needed, recent)),
		sample{now, s.Stats.Left + uint64(s.Stats.Queued), spanOf(s)})
	if len(h.samples) > maxSamples { // each second one goes, but not the first and the last
		kept := h.samples[:0]
		for i, x := range h.samples {
			if i%2 == 0 || i == maxSamples {
				kept = append(kept, x)
			}
		}
		h.samples = kept
	}
	return x
}
