package app

import (
	"cmp"
	"fmt"
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
	var failed error
	err := guarded(func() {
		glfw.InitHint(glfw.PlatformHint, int(platform))
		if failed = glfw.Init(); failed == nil {
			glfw.GetTime() // panics if Init has failed with an error that the binding only logs
		}
	})
	switch err = cmp.Or(failed, err); {
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

// findDisplay returns whether the environment has X11, Wayland or any. GLFW looks for one only.
func findDisplay() (glfw.Platform, error) {
	x11 := supported(glfw.PlatformX11)
	display := x11 && os.Getenv("DISPLAY") != ""
	wayland := supported(glfw.PlatformWayland)
	switch answers := wayland && answers(); {
	case display && answers && os.Getenv("WAYLAND_DISPLAY") != "":
		return glfw.AnyPlatform, nil
	case display:
		return glfw.PlatformX11, nil
	case answers:
		return glfw.PlatformWayland, nil
	case !x11:
		return 0, noDisplay("built with -tags wayland, %sno Wayland server answers; "+
			"run it in a desktop session", notWayland())
	case !wayland:
		return 0, noDisplay("built with -tags x11, %s", noX11)
	}
	return 0, noDisplay("%s%s", notWayland(), noX11)
}

const noX11 = "DISPLAY is not set; run it in a desktop session or with xvfb-run"

func supported(p glfw.Platform) (ok bool) {
	for guarded(func() { ok = glfw.PlatformSupported(p) }) != nil {
		// It has found an error of a call that came before.
	}
	return ok
}

// notWayland begins a message with the Wayland server that does not answer, if one is named.
func notWayland() string {
	if name := os.Getenv("WAYLAND_DISPLAY"); name != "" && !answers() {
		return fmt.Sprintf("the Wayland server at WAYLAND_DISPLAY=%s does not answer, and ", name)
	}
	return ""
}

// answers reports whether there is a Wayland server. The libraries would print that there is none.
func answers() bool {
	if os.Getenv("WAYLAND_SOCKET") != "" {
		return true // a connection that the program has been started with
	}
	socket := cmp.Or(os.Getenv("WAYLAND_DISPLAY"), "wayland-0")
	if !filepath.IsAbs(socket) {
		socket = filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), socket)
	}
	c, err := net.DialTimeout("unix", socket, time.Second)
	if err != nil {
		return false
	}
	c.Close()
	return true
}
