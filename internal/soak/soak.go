package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/threadcall/threadcall/internal/soak/load"
	"github.com/threadcall/threadcall/internal/soak/record"
)

// settings are what a user chooses.
type settings struct {
	duration time.Duration
	out      string
	leak     string
}

// minDuration gives each third enough samples to have a median.
const minDuration = 2 * time.Second

func (s settings) validate() error {
	if s.duration < minDuration {
		return fmt.Errorf("--for %v: at least %v are needed to see anything", s.duration, minDuration)
	}
	if s.leak != "" && !slices.Contains(load.Leaks, s.leak) {
		return fmt.Errorf("--leak %q: it is one of %v", s.leak, load.Leaks)
	}
	return nil
}

// A result is what a soak found out.
type result struct {
	settings settings
	began    time.Time
	samples  []record.Sample
	drifts   []drift
	rows     []load.Row
	faults   []string
	stuck    string // the load that did not come to an end
	early    bool   // interrupted
}

const (
	sampleEvery = time.Second
	minSamples  = 200
	patience    = time.Minute // how long a turn of load may take
)

// soak loads and takes samples until the time is up or ctx is done.
func soak(ctx context.Context, set settings, p *progress) (*result, error) {
	r := &result{settings: set, began: time.Now()}
	loading, stop := context.WithCancel(context.Background())
	defer stop()
	if err := load.Leak(loading, set.leak); err != nil {
		return nil, err
	}
	l := load.Start(loading)
	recorder := record.New(l.Calls)
	every := min(sampleEvery, set.duration/minSamples)
	r.samples = make([]record.Sample, 0, set.duration/every+1) // or the record itself would be what grows
	deadline := time.NewTimer(set.duration)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for running := true; running; {
		select {
		case <-tick.C:
			s := recorder.Take()
			r.samples = append(r.samples, s)
			r.stuck = l.Stuck(patience)
			running = r.stuck == "" && len(l.Faults()) == 0
			p.show(s, set.duration)
		case <-deadline.C:
			running = false
		case <-ctx.Done():
			r.early, running = true, false
		}
	}
	p.Clear()
	r.rows, r.faults = l.Rows(), l.Faults()
	r.drifts = judge(r.samples)
	if r.stuck != "" {
		stacks := make([]byte, 4<<20)
		fmt.Fprintf(os.Stderr, "%s\n", stacks[:runtime.Stack(stacks, true)])
		return r, nil // it would not end
	}
	stop()
	l.Wait()
	return r, nil
}

// ok tells whether nothing grew and nothing went wrong.
func (r *result) ok() bool { return r.reason() == "" }

// reason says why a result is not ok.
func (r *result) reason() string {
	switch {
	case r.stuck != "":
		return fmt.Sprintf("a turn of %q did not end within %v", r.stuck, patience)
	case len(r.faults) > 0:
		return r.faults[0]
	case len(r.drifts) == 0:
		return "too few samples to judge"
	}
	for _, d := range r.drifts {
		if !d.ok {
			return d.name + " grew by " + d.value(d.growth) + ", more than " + d.value(d.limit)
		}
	}
	return ""
}
