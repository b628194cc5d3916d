package main

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/threadcall/threadcall/internal/rig/ports/wine"
	"github.com/threadcall/threadcall/internal/rig/testutil"
)

// A command is what go test -exec needs.
type command struct {
	name    string   // with its version
	program []string // nothing for what runs natively
	env     []string
	end     func() // may be nil
}

// native is this machine.
func native(quick bool) (*command, error) {
	if quick {
		return nil, errors.New("make 386 runs these tests, and more")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return nil, errors.New("this machine is not linux/amd64")
	}
	return &command{name: "natively"}, nil
}

// qemu is the emulation of a processor for programs of Linux, by qemu's name of it.
func qemu(processor string) func(bool) (*command, error) {
	return func(bool) (*command, error) {
		program := "qemu-" + processor
		version, err := version("qemu-user", program, 2) // qemu-arm version 7.2.22 (Debian…
		return &command{name: program + " " + version, program: []string{program},
			env: []string{testutil.Emulator + "=" + program}}, err
	}
}

// node runs WebAssembly.
func node(quick bool) (*command, error) {
	if err := inAHurry(quick, "node"); err != nil {
		return nil, err
	}
	version, err := version("node", "node", 0)
	root, rootErr := run(exec.Command("go", "env", "GOROOT"))
	return &command{name: "Node " + strings.TrimPrefix(version, "v"),
			program: []string{filepath.Join(root, "lib", "wasm", "go_js_wasm_exec")}},
		errors.Join(err, rootErr)
}

// windows is Wine.
func windows(quick bool) (*command, error) {
	if runtime.GOARCH != "amd64" {
		return nil, errors.New("this machine is not an amd64 machine")
	}
	if err := inAHurry(quick, "wine"); err != nil {
		return nil, err
	}
	return startWine("wine")
}

// windowsWithScreen is Wine with a C compiler for Windows. The services of another prefix may know
// another screen, or none.
func windowsWithScreen(bool) (*command, error) {
	if err := need("mingw"); err != nil {
		return nil, err
	}
	return startWine("wine-app", "CGO_ENABLED=1", "CC=x86_64-w64-mingw32-gcc")
}

func startWine(prefix string, env ...string) (*command, error) {
	if err := need("wine"); err != nil {
		return nil, err
	}
	p, err := wine.Start(prefix)
	if err != nil {
		return nil, err
	}
	return &command{name: "Wine " + p.Version, program: []string{"wine"}, env: append(p.Env, env...),
		end: p.End}, nil
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
	_, err := run(exec.Command(".ci/setup", part))
	return err
}

// version installs a part, and returns the word with this index of what its program calls itself.
func version(part, program string, word int) (string, error) {
	if err := need(part); err != nil {
		return "", err
	}
	out, err := run(exec.Command(program, "--version"))
	words := append(strings.Fields(out), make([]string, word+1)...)
	return words[word], err
}

// run runs a command and returns what it writes; what it complains about is in the error.
func run(c *exec.Cmd) (string, error) {
	var complaints strings.Builder
	c.Stderr = &complaints
	out, err := c.Output()
	text := strings.TrimSpace(string(out))
	if err != nil {
		return "", fmt.Errorf("%s: %w\n%s", c, err, strings.TrimSpace(text+"\n"+complaints.String()))
	}
	return text, nil
}
