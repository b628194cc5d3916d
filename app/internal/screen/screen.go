// Package screen gives tests an X server whose screen is in memory.
package screen

import (
	"bufio"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"github.com/threadcall/threadcall/internal/testutil"
)

// A Screen is a connection to an X server that Start has started. It has no window manager. Tests
// that use the zero Screen, where windows do not use X11, are skipped.
type Screen struct {
	Display string // for the environment variable of that name
	Conn    *xgb.Conn
	Root    xproto.Window
}

// Start starts Xvfb with the arguments. It ends when its last client has gone.
func Start(args ...string) (*Screen, error) {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return nil, errors.New("windows do not use X11 here")
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer r.Close()
	args = append([]string{"-displayfd", "3", "-nolisten", "tcp", "-terminate", "-screen", "0",
		"1280x1024x24"}, args...)
	server := exec.Command("Xvfb", args...)
	server.ExtraFiles = []*os.File{w}
	err = server.Start()
	w.Close()
	if err != nil {
		return nil, fmt.Errorf("%w; apt-get install xvfb libgl1-mesa-dri", err)
	}
	go func() { _ = server.Wait() }()
	_ = r.SetReadDeadline(time.Now().Add(testutil.TimeLimit()))
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		_ = server.Process.Kill()
		return nil, fmt.Errorf("starting Xvfb: %w", err)
	}
	display := ":" + strings.TrimSpace(line)
	xgb.Logger.SetOutput(io.Discard)
	os.Unsetenv("XAUTHORITY")
	os.Unsetenv("WAYLAND_DISPLAY")
	conn, err := xgb.NewConnDisplay(display)
	if err == nil {
		err = xtest.Init(conn)
	}
	if err != nil {
		return nil, err
	}
	return &Screen{display, conn, xproto.Setup(conn).DefaultScreen(conn).Root}, nil
}

// Must fails the test if err is not nil.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Server returns the connection. It skips the test if there is no X server.
func (s *Screen) Server(t testing.TB) *xgb.Conn {
	t.Helper()
	if s.Conn == nil {
		t.Skip("windows do not use X11 here")
	}
	return s.Conn
}

// Picture returns what the screen shows.
func (s *Screen) Picture(t testing.TB) *image.RGBA {
	t.Helper()
	size, err := xproto.GetGeometry(s.Server(t), xproto.Drawable(s.Root)).Reply()
	Must(t, err)
	p := image.NewRGBA(image.Rect(0, 0, int(size.Width), int(size.Height)))
	r, err := xproto.GetImage(s.Conn, xproto.ImageFormatZPixmap, xproto.Drawable(s.Root), 0, 0,
		size.Width, size.Height, 1<<32-1).Reply()
	Must(t, err)
	for i := 0; i < len(p.Pix); i += 4 {
		p.Pix[i], p.Pix[i+1], p.Pix[i+2], p.Pix[i+3] = r.Data[i+2], r.Data[i+1], r.Data[i], 255
	}
	return p
}
