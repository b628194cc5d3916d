package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/session"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// outputs refuses outputs that cannot be, before anything is measured.
func (b *benchCommand) outputs() error {
	standard := 0
	if b.json {
		standard++
	}
	for _, o := range []target{{"html", b.html}, {"md", b.md}, {"csv", b.csv}, {"trend", b.trend}} {
		if o.file == "-" && (o.flag == "md" || o.flag == "csv") {
			standard++
			continue
		}
		if o.file == "" {
			continue
		}
		if at, err := os.Stat(filepath.Dir(o.file)); err != nil || !at.IsDir() {
			return fmt.Errorf("-%s %s: %s is no directory", o.flag, o.file, filepath.Dir(o.file))
		}
	}
	if standard > 1 {
		return errors.New("-json, -md - and -csv - all write to the standard output: give one of them")
	}
	return nil
}

// write writes to a file, or to the standard output.
func (b *benchCommand) write(name string, write func(io.Writer) error) error {
	if name == "-" {
		return write(b.stdout)
	}
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// appendTo writes to the end of a file.
func appendTo(name string, write func(io.Writer) error) error {
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}

// writeTrend writes the page of what is saved under labels.
func (b *benchCommand) writeTrend(args []string) error {
	if name := b.given(func(name string) bool { return name != "trend" && name != "filter" }); name != "" {
		return fmt.Errorf("-trend shows what is saved, and -%s does not go with it", name)
	}
	var labels []string
	for _, a := range args {
		label, ok := strings.CutPrefix(a, "@")
		if !ok {
			return fmt.Errorf("-trend shows what is saved as @label, and %s is none", a)
		}
		labels = append(labels, label)
	}
	dir, err := os.Getwd()
	if err != nil {
		return unmeasured{err}
	}
	text, err := session.SaveTrend(context.Background(), dir, labels, b.set.Filter, b.trend)
	if err != nil {
		return unmeasured{err}
	}
	out := ui.On(b.stdout)
	out.Paragraph("", text)
	return could(out.Err)
}
