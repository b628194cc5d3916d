package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/paper"
	"github.com/threadcall/threadcall/internal/lab/picture"
)

// An experiment makes a section of the page.
type experiment struct {
	name    string
	title   string
	shows   string // its picture
	measure func(*lab) (result, error)
}

var experiments = []experiment{
	{"calls", "Four ways to call a function on a thread", "What a call costs, by design and by who serves it", measuring(measureCalls)},
	{"allocations", "What a call allocates", "Bytes allocated for each call and each thing", measuring(measureAllocations)},
	{"sieve", "The prime sieve and the threads under it", "The sieve's time a message, and how often its goroutines move, by GOMAXPROCS", measuring(measureSieve)},
	{"pingpong", "Ping-pong with and without a locked thread", "A round trip between two goroutines, by how many are locked to a thread", measuring(measurePingpong)},
	{"stackit", "An int by value, by returned pointer, by passed pointer", "The time of a function that doubles an int, by how the int is passed", measuring(measureStackit)},
	{"struct", "A struct of nine fields, copied or pointed to", "The time to make a struct of nine fields, copied and pointed to", measuring(measureNine)},
}

// measuring lets experiments have results of their own types.
func measuring[R result](measure func(*lab) (R, error)) func(*lab) (result, error) {
	return func(l *lab) (result, error) { return measure(l) }
}

// A lab is where experiments are made.
type lab struct {
	settings
	ctx      context.Context
	progress *progress
	tracer   *tracer
	made     int // rounds of the experiment that is under way
}

var errInterrupted = errors.New("interrupted")

// perform makes the experiments and writes the page and its pictures.
func perform(ctx context.Context, set settings, chosen []experiment, stdout *os.File, p *progress) error {
	root, err := findRoot()
	if err != nil {
		return err
	}
	out := set.where(root)
	pictures := filepath.Join(out, "lab")
	if err := os.MkdirAll(pictures, 0o777); err != nil {
		return err
	}
	tracer, err := newTracer(ctx, root)
	if err != nil {
		return err
	}
	defer tracer.close()
	l := &lab{settings: set, ctx: ctx, progress: p, tracer: tracer}
	drawn := map[string][]byte{}
	machine := watchMachine()
	var sections []section
	for _, e := range chosen {
		p.enter(e.title)
		l.made = set.rounds
		found, err := e.measure(l)
		p.Clear()
		if ctx.Err() != nil {
			return fmt.Errorf("%w: nothing is written", errInterrupted)
		}
		var svg bytes.Buffer
		if err == nil {
			err = picture.WriteSVG(&svg, found.picture())
		}
		if err != nil {
			return fmt.Errorf("experiment %s: %w", e.name, err)
		}
		s := section{experiment: e, result: found}
		if l.made < set.rounds {
			s.fewer = l.made
		}
		sections = append(sections, s)
		drawn[e.name+".svg"] = svg.Bytes()
	}
	text := page(set, machine.end(), sections)
	for name, svg := range drawn {
		if err := os.WriteFile(filepath.Join(pictures, name), svg, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(out, "lab.md"), []byte(text), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "written: %s and %s in %s\n", filepath.Join(out, "lab.md"), paper.Many(len(drawn), "picture"), pictures)
	return nil
}

// rounds measures contenders in turns.
func (l *lab) rounds(contenders []measure.Contender) ([]measure.Series, error) {
	return l.measure(contenders, measure.Extent{Rounds: l.settings.rounds, Turn: l.turn, Limit: l.limit})
}

// roundsOf is rounds with turns in which each is done n times.
func (l *lab) roundsOf(n int, contenders []measure.Contender) ([]measure.Series, error) {
	return l.measure(contenders, measure.Extent{Rounds: l.settings.rounds, N: n, Limit: l.limit})
}

func (l *lab) measure(contenders []measure.Contender, x measure.Extent) ([]measure.Series, error) {
	series, err := measure.Rounds(l.ctx, contenders, x, l.progress.step)
	if err == nil {
		l.made = len(series[0].Values)
	}
	return series, err
}
