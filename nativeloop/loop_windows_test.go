package nativeloop_test

import (
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"unsafe"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

const (
	wmPaint, wmClose, wmCancelMode                    = 0xf, 0x10, 0x1f
	wmKeyDown, wmSysCommand, wmTimer, wmApp           = 0x100, 0x112, 0x113, 0x8000
	scMove, scKeyMenu, vkEscape, windowsChild, remove = 0xf010, 0xf100, 0x1b, 5, 1
	windowStyle                                       = 0x10cf0000 // visible, with all buttons
	childStyle                                        = 0x50c80000 // visible, with a title
)

var user32 = testutil.User32

type message struct {
	window         uintptr
	message        uint32
	wParam, lParam uintptr
	time           uint32
	x, y           int32
	private        uint32
}

func needNative(testing.TB) {}

// functions has what is posted to the window of a native, by its handle.
var functions sync.Map

// runPosted is the window's procedure. A process never frees a callback, so there is one.
var runPosted = sync.OnceValue(func() uintptr {
	return syscall.NewCallback(func(window, message, wParam, lParam uintptr) uintptr {
		if message == wmApp {
			queue, _ := functions.Load(window)
			(<-queue.(chan func()))()
			return 0
		}
		return user32("DefWindowProcW", window, message, wParam, lParam)
	})
})

// newPost returns what has the loop of the thread call f, by a window that lasts as long.
func newPost() (post func(f func())) {
	const messageOnly, procedure = -3, -4
	posts := user32("CreateWindowExW", 0, "Static", "posts", 0, 0, 0, 0, 0, messageOnly, 0, 0, 0)
	user32("SetWindowLongPtrW", posts, procedure, runPosted())
	queue := make(chan func(), 100)
	functions.Store(posts, queue)
	return func(f func()) {
		queue <- f
		user32("PostMessageW", posts, wmApp, 0, 0)
	}
}

func loopExists() bool { return true }

// quitOwn ends the loop of a thread, on which it is called.
func quitOwn(*thread.Thread) { user32("PostQuitMessage", 7) }

// newNative has no visible window, but for events.
func newNative() native {
	var window uintptr
	events := map[uint32]*event{}
	return native{
		turn: func(wait bool) bool {
			var m message
			if wait {
				user32("GetMessageW", unsafe.Pointer(&m), 0, 0, 0)
			} else if user32("PeekMessageW", unsafe.Pointer(&m), 0, 0, 0, remove) == 0 {
				return false
			}
			if e := events[m.message]; e != nil {
				e.seen.Add(1)
			}
			user32("TranslateMessage", unsafe.Pointer(&m))
			user32("DispatchMessageW", unsafe.Pointer(&m))
			return true
		},
		post: newPost(),
		events: func() map[uint32]*event {
			window = newWindow(windowStyle, 0)
			user32("SetForegroundWindow", window)
			user32("SetTimer", window, 1, 10, 0)
			events[wmKeyDown] = &event{raise: func() { user32("keybd_event", int('A'), 0, 0, 0) }}
			events[wmPaint] = &event{raise: func() { user32("InvalidateRect", window, 0, 0) }}
			events[wmTimer] = &event{raise: func() {}}
			return events
		},
		end: func() { user32("DestroyWindow", window) },
	}
}

// newWindow makes a window on the calling thread.
func newWindow(style int, parent uintptr) uintptr {
	return user32("CreateWindowExW", 0, "Static", "window", style, 10, 10, 300, 200, parent, 0, 0,
		0)
}

func box(title string) uintptr { return user32("FindWindowW", "#32770", title) }

// modals are loops that Windows runs on a thread with the window w, until close, by any thread.
var modals = map[string]struct {
	run   func(w uintptr)
	runs  func(w uintptr) bool
	close func(w uintptr)
}{
	"message box": {
		func(w uintptr) { user32("MessageBoxW", w, "text", "box", 0) },
		func(uintptr) bool { return box("box") != 0 },
		func(uintptr) { user32("PostMessageW", box("box"), wmClose, 0, 0) },
	},
	"menu": {
		func(w uintptr) {
			menu := user32("CreatePopupMenu")
			user32("AppendMenuW", menu, 0, 1, "item")
			user32("SetForegroundWindow", w)
			user32("TrackPopupMenu", menu, 0, 20, 20, 0, w, 0)
			user32("DestroyMenu", menu)
		},
		inMenu, cancelMenu,
	},
	"system menu": {
		func(w uintptr) { user32("SendMessageW", w, wmSysCommand, scKeyMenu, int(' ')) },
		inMenu, cancelMenu,
	},
	"move": {
		func(w uintptr) { // of a window in w, because X11's window managers move others for Wine
			w = newWindow(childStyle, w)
			user32("SendMessageW", w, wmSysCommand, scMove, 0)
			user32("DestroyWindow", w)
		},
		func(w uintptr) bool { return testutil.GUIMode(w)&testutil.InMoveSize != 0 },
		func(w uintptr) {
			user32("PostMessageW", user32("GetWindow", w, windowsChild), wmKeyDown, vkEscape, 0)
		},
	},
}

func inMenu(w uintptr) bool { return testutil.GUIMode(w)&testutil.InMenu != 0 }

func cancelMenu(w uintptr) { user32("PostMessageW", w, wmCancelMode, 0, 0) }

func TestAttach_servesInModalLoops(t *testing.T) {
	for name, modal := range modals {
		t.Run(name, func(t *testing.T) {
			onHost(t, func(h *host) {
				w := newWindow(windowStyle, 0)
				defer user32("DestroyWindow", w)
				h.loop(func() {
					hold, together, ended := make(chan bool), make(chan bool, 1), make(chan bool)
					var over atomic.Bool
					h.Go(func() { <-hold })
					h.Go(func() {
						defer close(ended)
						modal.run(w)
						over.Store(true)
					})
					h.Go(func() { together <- !over.Load() })
					close(hold)
					if !testutil.Arrives(t, together) {
						t.Error("what is behind the function that runs the loop runs after it")
					}
					testutil.Eventually(t, func() bool { return modal.runs(w) }, "the loop")
					for range 100 {
						h.Call(func() {})
					}
					if over.Load() || !modal.runs(w) {
						t.Error("the loop has ended before")
					}
					h.Go(func() { h.Go(func() { together <- true }); modals["message box"].run(0) })
					testutil.Arrives(t, together)
					testutil.Eventually(t, func() bool { return box("box") != 0 }, "a message box")
					h.Call(func() { modals["message box"].close(0) })
					if name != "message box" {
						testutil.Eventually(t, func() bool { return box("box") == 0 }, "its end")
					}
					testutil.Eventually(t, func() bool {
						modal.close(w)
						select {
						case <-ended:
							return true
						default:
							return false
						}
					}, "the end of the loop")
				})
			})
		})
	}
}

// A wake-up is not lost when the queue is full, and when the program takes all messages.
func TestAttach_losesNoWakeUp(t *testing.T) {
	for name, lose := range map[string]func(h *host){
		"the queue is full": func(h *host) {
			var w uintptr
			h.Call(func() { w = newWindow(0, 0) })
			hold := make(chan bool)
			h.Go(func() { <-hold })
			for range 12_000 {
				user32("PostMessageW", w, wmTimer, 0, 0)
			}
			close(hold)
		},
		"messages are taken": func(h *host) {
			h.Go(func() { go h.Call(func() {}); discard(wmApp) })
		},
		"messages are taken outside of a function": func(h *host) {
			taken := make(chan bool)
			h.post(func() {
				for range 3 {
					go h.Call(func() {})
				}
				discard(wmApp)
				close(taken)
			})
			<-taken
		},
		"messages are taken by a function that then runs a loop": func(h *host) {
			hold := make(chan bool)
			h.Go(func() { <-hold })
			h.Go(func() { discard(wmApp + 1); h.run() })
			h.Go(h.quit)
			close(hold)
		},
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, func(h *host) { h.loop(func() { lose(h); h.Call(func() {}) }) })
		})
	}
}

// discard takes messages until one of this kind was among them.
func discard(kind uint32) {
	for m := (message{}); m.message != kind; {
		user32("PeekMessageW", unsafe.Pointer(&m), 0, 0, 0, remove)
	}
}

// WM_QUIT, which PeekMessage finds whatever it looks for, is not lost.
func TestAttach_losesNoQuit(t *testing.T) {
	onHost(t, func(h *host) {
		h.Go(func() { user32("PostQuitMessage", 7) })
		h.Go(func() {})
		var m message
		for user32("GetMessageW", unsafe.Pointer(&m), 0, 0, 0) != 0 {
			user32("DispatchMessageW", unsafe.Pointer(&m))
		}
		if m.wParam != 7 {
			t.Errorf("WM_QUIT has %d, want 7", m.wParam)
		}
	})
}

// A hook of the keyboard is called by the loop of the thread that has set it, which needs nothing
// else; and WM_QUIT is not left for the stop function, whose message box would end at once.
func TestStart_servesAHook(t *testing.T) {
	const lowLevelKeyboard, keyUp, key = 13, 2, int('Q')
	var th *thread.Thread
	keys := make(chan bool, 100)
	var hook uintptr
	procedure := syscall.NewCallback(func(code, event, key uintptr) uintptr {
		keys <- th.On() && th.Call(func() {})
		return user32("CallNextHookEx", 0, code, event, key)
	})
	boxed := make(chan bool, 1)
	th, err := nativeloop.Start(
		thread.WithStart(func() error {
			hook = user32("SetWindowsHookExW", lowLevelKeyboard, procedure, 0, 0)
			return nil
		}),
		thread.WithStop(func() {
			user32("UnhookWindowsHookEx", hook)
			var m message
			boxed <- user32("PeekMessageW", unsafe.Pointer(&m), 0, 0, 0, remove) == 0
		}))
	if err != nil {
		t.Fatal(err)
	}
	if hook == 0 {
		t.Fatal("there is no hook")
	}
	user32("keybd_event", key, 0, 0, 0)
	user32("keybd_event", key, 0, keyUp, 0)
	for range 2 {
		if !testutil.Arrives(t, keys) {
			t.Error("the hook was not called on its thread")
		}
	}
	th.Call(func() { user32("PostQuitMessage", 0) })
	testutil.Arrives(t, th.Done())
	if !<-boxed {
		t.Error("WM_QUIT is still there")
	}
}
