package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/threadcall/threadcall/internal/ports/wine"
	"github.com/threadcall/threadcall/internal/testutil"
)

// A command is what go test -exec needs.
type command struct {
	name    string   // with its version
	program []string // nothing for what runs natively
	env     []string
	end     func() // may be nil
}

// native is this machine.
func native(bool) (*command, error) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, errors.New("this machine is not linux/amd64")
	}
	return &command{name: "natively"}, nil
}

// qemu is the emulation of a processor for programs of Linux, by qemu's name of it.
func qemu(processor string) func(bool) (*command, error) {
	return func(bool) (*command, error) {
		program := "qemu-" + processor
		if err := need("qemu-user"); err != nil {
			return nil, err
		}
		words := strings.Fields(output(program, "--version")) // qemu-arm version 7.2.22 (Debian…
		name := program
		if len(words) > 2 {
			name += " " + words[2]
		}
		return &command{name: name, program: []string{program},
			env: []string{testutil.Emulator + "=" + program}}, nil
	}
}

// node runs WebAssembly.
func node(quick bool) (*command, error) {
	if err := inAHurry(quick, "node"); err != nil {
		return nil, err
	}
	if err := need("node"); err != nil {
		return nil, err
	}
	script := filepath.Join(strings.TrimSpace(output("go", "env", "GOROOT")), "lib", "wasm",
		"go_js_wasm_exec")
	if _, err := os.Stat(script); err != nil {
		return nil, err
	}
	return &command{name: "Node " + strings.TrimPrefix(strings.TrimSpace(output("node", "--version")),
		"v"),
		program: []string{script}}, nil
}

// windows is Wine.
func windows(quick bool) (*command, error) {
	if runtime.GOARCH != "amd64" {
		return nil, errors.New("this machine is not an amd64 machine")
	}
	if err := inAHurry(quick, "wine"); err != nil {
		return nil, err
	}
	if err := need("wine"); err != nil {
		return nil, err
	}
	p, err := wine.Start("wine")
	if err != nil {
		return nil, err
	}
	return &command{name: "Wine " + p.Version, program: []string{"wine"}, env: p.Env, end: p.End}, nil
}

// windowsWithScreen is Wine with a C compiler for Windows. The services of another prefix may know
// another screen, or none.
func windowsWithScreen(bool) (*command, error) {
	for _, part := range []string{"mingw", "wine"} {
		if err := need(part); err != nil {
			return nil, err
		}
	}
	p, err := wine.Start("wine-app")
	if err != nil {
		return nil, err
	}
	env := append(p.Env, "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc")
	return &command{name: "Wine " + p.Version, program: []string{"wine"}, env: env, end: p.End}, nil
}

// inAHurry is an error if a program is missing that takes a while to install.
func inAHurry(quick bool, program string) error {
	if _, err := exec.LookPath(program); err != nil && quick {
		return fmt.Errorf("%s is not installed, and that takes a while; make ports installs it", program)
	}
	return nil
}

// need installs a part of .ci/setup if it is missing, or returns how to.
func need(part string) error {
	if out, err := exec.Command(".ci/setup", part).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// output returns what a program writes, or nothing if it fails.
func output(program string, args ...string) string {
	out, _ := exec.Command(program, args...).Output()
	return string(out)
}
