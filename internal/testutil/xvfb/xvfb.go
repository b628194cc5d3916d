// Package xvfb gives a test a screen to open windows on, and shows what is on it.
package xvfb

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A Screen is that of Xvfb, an X server whose screen is in memory.
type Screen struct {
	file string // where the server keeps the screen
}

// Start starts Xvfb and has DISPLAY name it until the test ends. Where Xvfb is missing it skips the test.
func Start(t testing.TB) *Screen {
	t.Helper()
	path, err := exec.LookPath("Xvfb")
	if err != nil {
		t.Skip("NOT TESTED: Xvfb is missing (Debian package xvfb; make gui installs it)")
	}
	ready, number, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer ready.Close()
	dir := t.TempDir()
	server := exec.Command(path, "-displayfd", "3", "-screen", "0", "1024x768x24", "-fbdir", dir, "-nolisten", "tcp")
	server.ExtraFiles = []*os.File{number} // its descriptor 3, on which it tells the display that it has found free
	var said strings.Builder
	server.Stderr = &said
	err = server.Start()
	number.Close()
	if err != nil {
		t.Fatal(err)
	}
	stop := func() {
		_ = server.Process.Signal(os.Interrupt) // then it removes its lock file
		_ = server.Wait()
	}
	line, err := bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		stop()
		t.Fatal(errors.New("Xvfb did not start: " + said.String()))
	}
	t.Cleanup(stop)
	t.Setenv("DISPLAY", ":"+strings.TrimSpace(line))
	t.Setenv("WAYLAND_DISPLAY", "")
	return &Screen{filepath.Join(dir, "Xvfb_screen0")}
}
