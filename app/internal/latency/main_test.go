package main

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app/internal/screen"
)

func TestEveryDesignIsMeasured(t *testing.T) {
	program := screen.Program(t)
	out, err := exec.Command(program, "-for", "1s", "-rounds", "1", "-procs", "1,2", "-computing", "1").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if strings.Contains(string(out), " 0.00,") {
		t.Errorf("nothing has been measured for a cell:\n%s", out)
	}
	for _, want := range []string{"one thread, P=1 | package app, P=1 | one thread, P=2 | package app, P=2 |", "| 75 frames/s", "| CPU"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

// Moves and events are matched by position, and a move that no handler got is counted.
func TestColumn(t *testing.T) {
	var r result
	var moves []time.Time
	start := time.Now()
	for i := range 1000 {
		moves = append(moves, start.Add(time.Duration(i)*time.Second))
		if x, y := position(i); i > 100 && i != 500 {
			r.Inputs = append(r.Inputs, input{x, y, moves[i].Add(time.Duration(i) * time.Microsecond).UnixNano()})
		}
	}
	var c column
	c.add(r, moves)
	if c.lost != 1 || len(c.inputs) != 898 {
		t.Errorf("%d lost, %d got", c.lost, len(c.inputs))
	}
	if p, want := quantile(c.inputs, 95), 955*time.Microsecond; p != want {
		t.Errorf("p95 is %v, want %v", p, want)
	}
	if j := jitter([]time.Duration{8, 12, 8, 12}); j != 2 {
		t.Errorf("jitter of values that are 2 from their mean: %v", j)
	}
}
