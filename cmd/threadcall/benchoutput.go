package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// outputs refuses outputs that cannot be, before anything is measured.
func (b *benchCommand) outputs() error {
	if b.json && b.md == "-" {
		return errors.New("-json and -md - both write to the standard output: give one of them")
	}
	for _, o := range []target{{"html", b.html}, {"md", b.md}} {
		if o.file == "" || o.file == "-" && o.flag == "md" {
			continue
		}
		if at, err := os.Stat(filepath.Dir(o.file)); err != nil || !at.IsDir() {
			return fmt.Errorf("-%s %s: %s is not a directory", o.flag, o.file, filepath.Dir(o.file))
		}
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
