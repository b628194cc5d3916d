package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/threadcall/threadcall/internal/lab/measure"
	"github.com/threadcall/threadcall/internal/lab/picture"
)

// An experiment makes a section of the page.
type experiment struct {
	name  string
	title string
	make  func(*lab) (section, error)
}

var experiments = []experiment{
	{"calls", "Four ways to call a function on a thread", calls},
	{"allocations", "What a call allocates", allocations},
	{"sieve", "The prime sieve and the threads under it", sieve},
	{"pingpong", "Ping-pong with and without a locked thread", pingpong},
	{"stackit", "An int by value, by returned pointer, by passed pointer", stackit},
	{"struct", "A struct of nine fields, copied or pointed to", nineFields},
}

// A lab is where experiments are made.
type lab struct {
	settings
	ctx      context.Context
	progress *progress
	tracer   *tracer
	pictures map[string][]byte
}

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
	l := &lab{set, ctx, p, tracer, map[string][]byte{}}
	machine := watchMachine()
	var sections []section
	for _, e := range chosen {
		p.enter(e.title)
		made, err := e.make(l)
		p.clear()
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			return fmt.Errorf("experiment %s: %w", e.name, err)
		}
		made.title = e.title
		sections = append(sections, made)
	}
	text := page(set, machine.end(), sections)
	for name, svg := range l.pictures {
		if err := os.WriteFile(filepath.Join(pictures, name), svg, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(out, "lab.md"), []byte(text), 0o666); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "written: %s and %d pictures in %s\n", filepath.Join(out, "lab.md"), len(l.pictures), pictures)
	return nil
}

// rounds measures contenders in turns.
func (l *lab) rounds(contenders []measure.Contender) ([]measure.Series, error) {
	return measure.Rounds(l.ctx, contenders, measure.Extent{Rounds: l.settings.rounds, Turn: l.turn}, l.progress.step)
}

// roundsOf is rounds with turns in which each is done n times.
func (l *lab) roundsOf(n int, contenders []measure.Contender) ([]measure.Series, error) {
	return measure.Rounds(l.ctx, contenders, measure.Extent{Rounds: l.settings.rounds, N: n}, l.progress.step)
}

// picture draws a picture for the page and returns the Markdown that shows it.
func (l *lab) picture(name, about string, p picture.Picture) (string, error) {
	var b bytes.Buffer
	if err := picture.WriteSVG(&b, p); err != nil {
		return "", err
	}
	l.pictures[name+".svg"] = b.Bytes()
	return fmt.Sprintf("![%s](lab/%s.svg)\n", about, name), nil
}
