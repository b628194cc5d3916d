// Package overlay adds code to package testing for a build, and leaves the files alone.
package overlay

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// Testing writes into dir, which it makes, an overlay of package testing, for the flag -overlay of
// a go command with this GOROOT, and returns the name of its file. The sources testdata/*.go.txt
// become a part of package testing. They define the type threadcallHook, which each testing.B has
// a value of, with methods that testing calls:
//
//	begin()    before a run: ResetTimer, StartTimer, the benchmark function, StopTimer
//	start()    when the timer starts, and, while it runs, when it is reset
//	stop()     when the timer stops
//	reset()    when the timer is reset, after start
//	end()      after the run
//	report(*B) after the last run
func Testing(goroot, dir string, sources fs.FS) (string, error) {
	testing := filepath.Join(goroot, "src", "testing")
	file := filepath.Join(testing, "benchmark.go")
	text, err := os.ReadFile(file)
	if err = errors.Join(err, os.MkdirAll(dir, 0o700)); err != nil {
		return "", err
	}
	if text, err = instrument(text); err != nil {
		return "", fmt.Errorf("%s: %w", file, err)
	}
	replace := map[string]string{}
	add := func(name string, text []byte) error {
		by := filepath.Join(dir, name)
		replace[filepath.Join(testing, name)] = by
		return os.WriteFile(by, text, 0o666)
	}
	err = add("benchmark.go", text)
	names, _ := fs.Glob(sources, "testdata/*.go.txt") // the pattern is valid
	for _, name := range names {
		text, unread := fs.ReadFile(sources, name)
		err = errors.Join(err, unread,
			add("zz_threadcall_"+strings.TrimSuffix(path.Base(name), ".txt"), text))
	}
	text, _ = json.Marshal(map[string]any{"Replace": replace}) // of strings, without errors
	name := filepath.Join(dir, "overlay.json")
	return name, errors.Join(err, os.WriteFile(name, text, 0o666))
}

// instrument returns benchmark.go with calls of the hook. No line gets another number. It is an
// error if package testing is not as in Go 1.24 to 1.27 there.
func instrument(text []byte) ([]byte, error) {
	const loop = "b.ResetTimer()\n\tb.StartTimer()\n\tb.benchFunc(b)\n\tb.StopTimer()"
	for _, e := range []struct {
		at, with string // @ stands for at
		times    int
	}{
		{"type B struct {", "type B struct { threadcall threadcallHook;", 1},
		{"b.start = ", "b.threadcall.start(); @", 2}, // StartTimer, ResetTimer
		{"b.duration += ", "b.threadcall.stop(); @", 1},
		{"b.duration = 0", "@; b.threadcall.reset()", 1},
		{loop, "b.threadcall.begin(); @; b.threadcall.end()", 1},
		{"b.result = ", "b.threadcall.report(b); @", 1},
	} {
		if bytes.Count(text, []byte(e.at)) != e.times {
			return nil, errors.New("this version of package testing is not known")
		}
		text = bytes.ReplaceAll(text, []byte(e.at), []byte(strings.Replace(e.with, "@", e.at, 1)))
	}
	return text, nil
}
