//go:build linux && (amd64 || arm64)

package nativeloop_test

import (
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
)

// Two libraries need the main thread: systray stands for one that runs its loop there, here a loop
// of GLib's default context, and glfw for one whose events are polled.
var (
	systray struct {
		NewLoop func(context uintptr, running int32) (loop uintptr) `c:"g_main_loop_new"`
		RunLoop func(loop uintptr)                                  `c:"g_main_loop_run"`
		Quit    func(loop uintptr)                                  `c:"g_main_loop_quit"`
	}
	glfw = struct{ PollEvents func() }{}
)

// The code is docs/traps.md's.
func TestAttach_letsAnotherLibraryPoll(t *testing.T) {
	needNative(t)
	load(t, "libglib-2.0.so.0", &systray)
	loop := systray.NewLoop(0, 0)
	runTray := func() { systray.RunLoop(loop) }
	polls := 0
	glfw.PollEvents = func() {
		if polls++; !mainthread.On() {
			t.Error("polled elsewhere")
		}
	}
	both := func() error {
		detach, err := nativeloop.Attach(mainthread.Loop()) // calls run in the tray's loop
		if err != nil {
			return err
		}
		defer detach()
		poll := mainthread.Thread().Every(time.Second/60, glfw.PollEvents)
		defer poll.Stop()
		runTray() // the window of glfw lives in it, too
		return nil
	}
	go func() {
		for n := 0; n < 10; {
			mainthread.Call(func() { n = polls })
			time.Sleep(time.Millisecond)
		}
		mainthread.Call(func() { systray.Quit(loop) })
	}()
	testutil.Ends(t, func() {
		mainthread.Call(func() {
			if err := both(); err != nil {
				t.Error(err)
			}
		})
	})
}
