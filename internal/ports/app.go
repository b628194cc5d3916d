package main

import (
	"os"
	"time"

	"github.com/threadcall/threadcall/internal/ports/wine"
)

// This file runs the tests of module app on Windows. It needs a C compiler for Windows, and a screen.

// runApp reports whether the tests passed, if they could be run.
func runApp(timeout time.Duration) bool {
	r := result{port: port{system: "windows", processor: "amd64"}}
	on, err := windowsWithScreen()
	if err != nil {
		r.left = err.Error()
	} else {
		r = test(r.port, on, []string{"./app/..."}, timeout)
	}
	r.print(os.Stdout)
	return r.ok()
}

func windowsWithScreen() (*command, error) {
	for _, part := range []string{"mingw", "wine"} {
		if err := need(part); err != nil {
			return nil, err
		}
	}
	p, err := wine.Start("wine-app") // the services of another prefix may know another screen, or none
	if err != nil {
		return nil, err
	}
	env := append(p.Env, "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc")
	return &command{name: "Wine " + p.Version, program: []string{"wine"}, env: env, end: p.End}, nil
}
