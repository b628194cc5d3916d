// Package wine runs programs of Windows on Linux.
package wine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// A Prefix is a Windows for programs of this project, which stays in the cache of the user. Its
// services know one display, that of the first program.
type Prefix struct {
	Version string   // of Wine
	Env     []string // a program run as wine PROGRAM needs these besides the others

	end func()
}

const forwarder = `LIBRARY bcryptprimitives
EXPORTS
	ProcessPrng = advapi32.SystemFunction036
`

// Start makes the prefix of that name if it is not there and starts the services that all programs
// share.
//
// Go asks bcryptprimitives.dll for random numbers, which Wine has since version 9 only. Its one
// function does the same as one in advapi32.dll, so older ones are given a library that says so and
// has no code of its own.
func Start(name string) (*Prefix, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return nil, err
	}
	dir := filepath.Join(cache, "threadcall", name)
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	p := &Prefix{Env: []string{"WINEPREFIX=" + dir, "WINEDEBUG=-all"}}
	if err := p.run("wine", "wineboot", "-i"); err != nil {
		return nil, err
	}
	library := filepath.Join(dir, "drive_c", "windows", "system32", "bcryptprimitives.dll")
	if _, err := os.Stat(library); err != nil {
		exports := filepath.Join(dir, "bcryptprimitives.def")
		if err := os.WriteFile(exports, []byte(forwarder), 0o666); err != nil {
			return nil, err
		}
		if err := p.run("x86_64-w64-mingw32-ld", "-shared", "--entry", "0", "-o", library,
			exports); err != nil {
			return nil, err
		}
	}
	version, err := exec.Command("wine", "--version").Output()
	if err != nil {
		return nil, err
	}
	p.Version, _, _ = strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(version)), "wine-"), " ")

	// Wine's services live as long as its programs and keep the output of the first. That must not
	// be a test's, or go test waits for them.
	first := exec.Command("wine", "cmd")
	first.Env = append(os.Environ(), p.Env...)
	input, err := first.StdinPipe()
	if err != nil {
		return nil, err
	}
	if err := first.Start(); err != nil {
		return nil, err
	}
	p.end = func() {
		input.Close()
		_ = first.Wait()              // its status says nothing
		_ = p.run("wineserver", "-k") // it would end by itself, later
	}
	return p, nil
}

// End ends the services.
func (p *Prefix) End() { p.end() }

func (p *Prefix) run(program string, args ...string) error {
	c := exec.Command(program, args...)
	c.Env = append(os.Environ(), p.Env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", program, err, out)
	}
	return nil
}
