package app

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// initGLFW runs on the main thread.
func initGLFW() error {
	platform := glfw.AnyPlatform
	if usesX11() {
		var err error
		if platform, err = findDisplay(); err != nil {
			return err
		}
	}
	err := guarded(func() error {
		glfw.InitHint(glfw.PlatformHint, int(platform))
		if err := glfw.Init(); err != nil {
			return err
		}
		glfw.GetTime() // panics if Init has failed with an error that the binding only logs
		return nil
	})
	switch {
	case err == nil:
		return nil
	case platform == glfw.PlatformX11:
		return noDisplay("%sthe X server at DISPLAY=%s does not answer (%w); check that it runs "+
			"and accepts you (xauth, xhost)",
			notWayland(), os.Getenv("DISPLAY"), err)
	}
	return noDisplay("%w", err)
}

func noDisplay(format string, args ...any) error {
	return fmt.Errorf("%w: "+format, append([]any{ErrNoDisplay}, args...)...)
}

// findDisplay returns which of X11 and Wayland the environment has, any if it has both. GLFW does
// not look for the other one if one that is named does not answer.
func findDisplay() (glfw.Platform, error) {
	display := os.Getenv("DISPLAY")
	x11, wayland := supported(glfw.PlatformX11), supported(glfw.PlatformWayland)
	switch {
	case x11 && display != "" && wayland && os.Getenv("WAYLAND_DISPLAY") != "" && lacks() == "":
		return glfw.AnyPlatform, nil
	case x11 && display != "":
		return glfw.PlatformX11, nil
	case wayland && lacks() == "":
		return glfw.PlatformWayland, nil
	}
	if !x11 {
		return 0, noDisplay("built with -tags wayland, %sno Wayland server answers; "+
			"run it in a desktop session", notWayland())
	}
	built := ""
	if !wayland {
		built = "built with -tags x11, "
	}
	return 0, noDisplay("%s%sDISPLAY is not set; run it in a desktop session or with xvfb-run",
		built,
		notWayland())
}

// supported returns whether GLFW has been compiled for a platform.
func supported(p glfw.Platform) (ok bool) {
	for guarded(func() error { ok = glfw.PlatformSupported(p); return nil }) != nil {
		// It has found an error of a call that came before.
	}
	return ok
}

// notWayland begins a message with what the Wayland server lacks, if one is named.
func notWayland() string {
	if name := os.Getenv("WAYLAND_DISPLAY"); name != "" && lacks() != "" {
		return fmt.Sprintf("the Wayland server at WAYLAND_DISPLAY=%s %s, and ", name, lacks())
	}
	return ""
}

// lacks returns what is wrong with the Wayland server where its library looks for one, or "". The
// library and GLFW would print that there is none, and GLFW crashes without a seat.
func lacks() string {
	const silent = "does not answer"
	if os.Getenv("WAYLAND_SOCKET") != "" {
		return "" // a connection that the program has been started with
	}
	socket := cmp.Or(os.Getenv("WAYLAND_DISPLAY"), "wayland-0")
	if !filepath.IsAbs(socket) {
		socket = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), socket)
	}
	c, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return silent
	}
	defer c.Close()
	_ = c.SetDeadline(time.Now().Add(5 * time.Second))
	order := binary.NativeEndian
	var requests []byte
	// of the display, 1: get_registry makes 2, then sync makes 3, which has an event after all of 2
	for _, word := range []uint32{1, 12<<16 | 1, 2, 1, 12 << 16, 3} {
		requests = order.AppendUint32(requests, word)
	}
	if _, err := c.Write(requests); err != nil {
		return silent
	}
	for seat := "has no seat (keyboard or mouse), without which GLFW crashes"; ; {
		var head [8]byte
		if _, err := io.ReadFull(c, head[:]); err != nil {
			return silent
		}
		object := order.Uint32(head[:])
		body := make([]byte, max(order.Uint32(head[4:])>>16, 8)-8)
		if _, err := io.ReadFull(c, body); err != nil {
			return silent
		}
		switch {
		case object == 2 && bytes.Contains(body, []byte("wl_seat\x00")):
			seat = ""
		case object == 3:
			return seat
		}
	}
}
