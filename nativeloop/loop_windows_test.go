package nativeloop_test

import (
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

const (
	wmClose, wmPaint, wmTimer, wmSysCommand, wmCancelMode = 0x10, 0xf, 0x113, 0x112, 0x1f
	wmKeyDown                                             = 0x100
)

// call calls a function of user32.dll.
func call(function string, args ...uintptr) uintptr {
	r, _, _ := syscall.NewLazyDLL("user32.dll").NewProc(function).Call(args...)
	return r
}

// text returns what functions of Windows take. It stays in memory.
func text(s string) uintptr {
	p, err := syscall.UTF16PtrFromString(s)
	if err != nil {
		panic(err)
	}
	kept, _ := texts.LoadOrStore(s, p)
	return uintptr(unsafe.Pointer(kept.(*uint16)))
}

var texts sync.Map

type message struct {
	window         uintptr
	message        uint32
	wParam, lParam uintptr
	time           uint32
	x, y           int32
	private        uint32
}

// pump is a program's message loop, until a message WM_QUIT.
func pump() { pumpEach(func(message) {}) }

func pumpEach(see func(message)) {
	var m message
	for int32(call("GetMessageW", uintptr(unsafe.Pointer(&m)), 0, 0, 0)) > 0 {
		see(m)
		call("TranslateMessage", uintptr(unsafe.Pointer(&m)))
		call("DispatchMessageW", uintptr(unsafe.Pointer(&m)))
	}
}

func quit() { call("PostQuitMessage", 0) }

// attached has loop run on a thread of its own, to which the package is attached, and waits for its
// end when the test ends.
func attached(t testing.TB, loop func()) *thread.Thread {
	t.Helper()
	started, ended := make(chan *thread.Thread), make(chan bool)
	go func() {
		defer close(ended)
		th := thread.Adopt(thread.WithName("native"))
		defer th.Terminate()
		detach, err := nativeloop.Attach(th)
		if err != nil {
			t.Error(err)
		} else {
			defer detach()
		}
		started <- th
		loop()
	}()
	th := <-started
	t.Cleanup(func() {
		th.Go(quit)
		testutil.Arrives(t, ended)
	})
	return th
}

const (
	windowStyle = 0x10cf0000 // WS_VISIBLE | WS_OVERLAPPEDWINDOW
	childStyle  = 0x50c80000 // WS_VISIBLE | WS_CHILD | WS_CAPTION | WS_SYSMENU
	child       = 5          // GW_CHILD
)

// newWindow makes a window on the calling thread.
func newWindow(style, parent uintptr) uintptr {
	return call("CreateWindowExW", 0, text("Static"), text("window"), style, 10, 10, 300, 200, parent,
		0, 0, 0)
}

// mode returns the flags of GetGUIThreadInfo, for the thread with this number.
func mode(of uintptr) uint32 {
	var info struct {
		size, flags uint32
		windows     [6]uintptr
		caret       [4]int32
	}
	info.size = uint32(unsafe.Sizeof(info))
	call("GetGUIThreadInfo", of, uintptr(unsafe.Pointer(&info)))
	return info.flags
}

// modals are loops that Windows runs on a thread with the window w, until close, by any thread.
var modals = map[string]struct {
	run   func(w uintptr)
	runs  func(thread, w uintptr) bool
	close func(w uintptr)
}{
	"message box": {
		func(w uintptr) { call("MessageBoxW", w, text("text"), text("box"), 0) },
		func(_, w uintptr) bool { return box("box") != 0 },
		func(w uintptr) { call("PostMessageW", box("box"), wmClose, 0, 0) },
	},
	"menu": {
		func(w uintptr) {
			menu := call("CreatePopupMenu")
			call("AppendMenuW", menu, 0, 1, text("item"))
			call("SetForegroundWindow", w)
			call("TrackPopupMenu", menu, 0, 20, 20, 0, w, 0)
			call("DestroyMenu", menu)
		},
		func(thread, _ uintptr) bool { return mode(thread)&inMenu != 0 },
		func(w uintptr) { call("PostMessageW", w, wmCancelMode, 0, 0) },
	},
	"system menu": {
		func(w uintptr) { call("SendMessageW", w, wmSysCommand, scKeyMenu, ' ') },
		func(thread, _ uintptr) bool { return mode(thread)&inMenu != 0 },
		func(w uintptr) { call("PostMessageW", w, wmCancelMode, 0, 0) },
	},
	"move": {
		func(w uintptr) { // of a window in w, because X11's window managers move others for Wine
			w = newWindow(childStyle, w)
			call("SendMessageW", w, wmSysCommand, scMove, 0)
			call("DestroyWindow", w)
		},
		func(thread, _ uintptr) bool { return mode(thread)&inMoveSize != 0 },
		func(w uintptr) {
			call("PostMessageW", call("GetWindow", w, child), wmKeyDown, vkEscape, 0)
		},
	},
}

const (
	inMoveSize, inMenu          = 0x2, 0x4
	scMove, scKeyMenu, vkEscape = 0xf010, 0xf100, 0x1b
)

func box(title string) uintptr { return call("FindWindowW", text("#32770"), text(title)) }

func TestAttach_modal(t *testing.T) {
	for name, modal := range modals {
		t.Run(name, func(t *testing.T) {
			th := attached(t, pump)
			var w, number uintptr
			th.Call(func() { w, number = newWindow(windowStyle, 0), currentThread() })
			hold, together, ended := make(chan bool), make(chan bool, 1), make(chan bool)
			var over atomic.Bool
			th.Go(func() { <-hold })
			th.Go(func() {
				defer close(ended)
				modal.run(w)
				over.Store(true)
			})
			th.Go(func() { together <- !over.Load() })
			close(hold)
			if !testutil.Arrives(t, together) {
				t.Error("what was queued together with the function that runs the loop runs after it")
			}
			testutil.Eventually(t, func() bool { return modal.runs(number, w) }, "the loop")
			n := 0
			for range 100 {
				th.Call(func() { n++ })
			}
			if over.Load() || n != 100 || !modal.runs(number, w) {
				t.Errorf("%d calls; the loop has ended: %v", n, over.Load())
			}
			if v := testutil.Recovered(func() { th.Call(func() { panic("boom") }) }); v != "boom" {
				t.Errorf("the caller got the panic %v", v)
			}
			th.Go(func() { th.Go(func() { together <- true }); modals["message box"].run(0) })
			testutil.Arrives(t, together)
			testutil.Eventually(t, func() bool { return box("box") != 0 }, "a message box")
			th.Call(func() { modals["message box"].close(0) })
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
	}
}

// GetMessage prefers posted messages to all of these.
func TestAttach_flooded(t *testing.T) {
	raise := map[uint32]func(w uintptr){
		wmKeyDown: func(uintptr) { call("keybd_event", 'A', 0, 0, 0) },
		wmPaint:   func(w uintptr) { call("InvalidateRect", w, 0, 0) },
		wmTimer:   func(uintptr) {}, // by SetTimer
	}
	var over atomic.Bool
	for name, flood := range map[string]func(th *thread.Thread, f func()){
		"posts": func(th *thread.Thread, f func()) {
			var again func()
			again = func() {
				f()
				if !over.Load() {
					th.Go(again)
				}
			}
			th.Go(again)
		},
		"calls": func(th *thread.Thread, f func()) {
			for range 8 {
				go func() {
					for !over.Load() {
						th.Call(f)
					}
				}()
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			over.Store(false)
			defer over.Store(true)
			counts := map[uint32]*atomic.Int64{wmKeyDown: {}, wmPaint: {}, wmTimer: {}}
			th := attached(t, func() {
				pumpEach(func(m message) {
					if n := counts[m.message]; n != nil {
						n.Add(1)
					}
				})
			})
			var w uintptr
			th.Call(func() {
				w = newWindow(windowStyle, 0)
				call("SetForegroundWindow", w)
				call("SetTimer", w, 1, 10, 0)
			})
			var ran atomic.Int64
			flood(th, func() { ran.Add(1) })
			for what, n := range counts {
				before, seen := ran.Load(), n.Load()
				testutil.Eventually(t, func() bool {
					raise[what](w)
					return n.Load() >= seen+20
				}, "20 of message %#x while functions run", what)
				testutil.Eventually(t, func() bool { return ran.Load() > before }, "functions")
			}
		})
	}
}

// Two threads with loops, of which one is the main thread, call each other.
func TestAttach_threads(t *testing.T) {
	other := attached(t, pump)
	ended := make(chan bool)
	go mainthread.Call(func() {
		defer close(ended)
		detach, err := nativeloop.Attach(mainthread.Thread())
		if err != nil {
			t.Error(err)
			return
		}
		defer detach()
		pump()
	})
	sums := make(chan int, 4)
	for i := range cap(sums) {
		go func() {
			n := 0
			for range 100 {
				if i%2 == 0 {
					other.Call(func() { mainthread.Call(func() { n++ }) })
				} else {
					mainthread.Call(func() { other.Call(func() { n++ }) })
				}
			}
			sums <- n
		}()
	}
	for range cap(sums) {
		if n := testutil.Arrives(t, sums); n != 100 {
			t.Errorf("%d of 100 functions have run", n)
		}
	}
	mainthread.Go(quit)
	testutil.Arrives(t, ended)
	if !mainthread.On() && !mainthread.Call(func() {}) { // by Init
		t.Error("no call after detach")
	}
}

// After detach the thread is as before Attach, and may be attached again.
func TestAttach_detach(t *testing.T) {
	testutil.Ends(t, func() {
		th := thread.Adopt()
		defer th.Terminate()
		for range 3 {
			n := 0
			detach, err := nativeloop.Attach(th)
			if err != nil {
				t.Error(err)
				return
			}
			th.Go(func() { n++; quit() })
			pump()
			th.Go(func() { n++ })
			detach()
			th.Go(func() { n++ })
			takeAll()
			if n != 1 {
				t.Errorf("%d functions have run, want the one before detach", n)
			}
			if th.Serve() != 2 {
				t.Error("Serve does not run what was queued")
			}
		}
		var detach func()
		detach, _ = nativeloop.Attach(th)
		th.Go(func() { detach(); quit() })
		pump()
	})
}

// A wake-up is not lost when the queue is full, and when a function takes all messages.
func TestAttach_wakeUpLost(t *testing.T) {
	for name, lose := range map[string]func(th *thread.Thread){
		"the queue is full": func(th *thread.Thread) {
			var number uintptr
			th.Call(func() { number = currentThread() })
			hold := make(chan bool)
			th.Go(func() { <-hold })
			for range 12_000 {
				call("PostThreadMessageW", number, wmTimer, 0, 0)
			}
			close(hold)
		},
		"messages are taken": func(th *thread.Thread) {
			th.Go(func() {
				go th.Call(func() {})
				for takeAll() == 0 { // until it has been posted
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			th := attached(t, pump)
			called := make(chan bool, 1)
			go func() { lose(th); called <- th.Call(func() {}) }()
			testutil.Arrives(t, called)
		})
	}
}

// takeAll takes the messages that are in the queue, and hands none to its window. It returns how
// many wake-ups there were.
func takeAll() (n int) {
	var m message
	for call("PeekMessageW", uintptr(unsafe.Pointer(&m)), 0, 0, 0, 1) != 0 {
		if m.message == 0x8000 {
			n++
		}
	}
	return n
}

func currentThread() uintptr {
	n, _, _ := syscall.NewLazyDLL("kernel32.dll").NewProc("GetCurrentThreadId").Call()
	return n
}

// channel is what a program does without the package: a window of its own, whose procedure runs the
// functions of a channel.
var channel struct {
	window    uintptr
	functions chan func()
	class     sync.Once
}

func makeChannel() {
	channel.functions = make(chan func(), 64)
	channel.window = call("CreateWindowExW", 0, text("Static"), 0, 0, 0, 0, 0, 0, ^uintptr(2), 0, 0, 0)
	channel.class.Do(func() {
		call("SetWindowLongPtrW", channel.window, ^uintptr(3), syscall.NewCallback(
			func(window, message, wParam, lParam uintptr) uintptr {
				if message == 0x8000 {
					(<-channel.functions)()
					return 0
				}
				return call("DefWindowProcW", window, message, wParam, lParam)
			}))
	})
}

func callByChannel(f func()) {
	done := make(chan bool)
	channel.functions <- func() { f(); close(done) }
	call("PostMessageW", channel.window, 0x8000, 0, 0)
	<-done
}

// The two take turns of ten calls.
func BenchmarkCall(b *testing.B) {
	th := attached(b, pump)
	th.Call(makeChannel)
	for _, loop := range []string{"GetMessage", "message box"} {
		if modal, ok := modals[loop]; ok {
			th.Go(func() { modal.run(0) })
			testutil.Eventually(b, func() bool { return modal.runs(0, 0) }, "the loop")
			defer modal.close(0)
		}
		b.Run(loop, func(b *testing.B) {
			var took, channel []time.Duration
			n := 0
			measure := func(took *[]time.Duration, call func(f func())) {
				for range 10 {
					began := time.Now()
					call(func() { n++ })
					*took = append(*took, time.Since(began))
				}
			}
			for b.Loop() {
				measure(&took, func(f func()) { th.Call(f) })
				measure(&channel, callByChannel)
			}
			for name, t := range map[string][]time.Duration{"threadcall": took, "channel": channel} {
				slices.Sort(t)
				b.ReportMetric(float64(t[len(t)/2].Nanoseconds()), name+"-p50-ns")
				b.ReportMetric(float64(t[len(t)*99/100].Nanoseconds()), name+"-p99-ns")
			}
		})
	}
}
