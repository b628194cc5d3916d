package main

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"runtime/debug"
	"runtime/trace"

	xtrace "golang.org/x/exp/trace"
)

// moves traces f with procs Ps and returns how many times a goroutine began to run on another
// thread than before. The trace is kept in memory, because writing to a file would move goroutines.
func moves(procs int, f func()) (int, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
	runtime.GC()
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	var b bytes.Buffer
	if err := trace.Start(&b); err != nil {
		return 0, err
	}
	f()
	trace.Stop()
	moved, _, err := read(&b)
	return moved, err
}

// read returns how many times in a trace a goroutine began to run, and how many of these times on
// another thread than before.
func read(r io.Reader) (moved, ran int, err error) {
	events, err := xtrace.NewReader(r)
	if err != nil {
		return 0, 0, err
	}
	on := map[xtrace.GoID]xtrace.ThreadID{} // where each goroutine last ran
	for {
		e, err := events.ReadEvent()
		if errors.Is(err, io.EOF) {
			return moved, ran, nil
		} else if err != nil {
			return 0, 0, err
		}
		if e.Kind() != xtrace.EventStateTransition {
			continue
		}
		s := e.StateTransition()
		if s.Resource.Kind != xtrace.ResourceGoroutine {
			continue
		}
		g := s.Resource.Goroutine()
		switch _, to := s.Goroutine(); to {
		case xtrace.GoRunning:
			ran++
			if last, ok := on[g]; ok && last != e.Thread() {
				moved++
			}
			on[g] = e.Thread()
		case xtrace.GoNotExist:
			delete(on, g)
		}
	}
}
