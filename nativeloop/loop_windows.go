package nativeloop

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// A messageLoop is a message-only window of the thread. Whatever loop takes the thread's messages
// hands those of the window to windowProc, which serves: a message box, a menu, and what moves a
// window have loops of their own. A loop that takes the messages of one other window only does not.
//
// Messages are:
//
//	wakeUp  something is queued; at most one is in the queue, but for races and for what look posts
//	rest    in the queue only while a turn runs several functions, of which any may have a loop of
//	        its own: those behind it are run there
//
// A message is outstanding until the next turn begins; rest, at most until its own turn ends. The
// program may take it without handing it to the window, as one does that discards what the user has
// typed ahead, and PostMessage may fail, as while the queue of the thread is full. So look posts
// wakeUp again while one is outstanding: after lost, and then whenever another eighth of the time
// has passed, so that the queue of a thread that is busy for a day gets a hundred.
//
// GetMessage prefers posted messages to input, timers and painting, so that turns that follow each
// other would keep all of these waiting. So after turns of budget in a row the loop has the thread
// for gap, if any of these wait.
type messageLoop struct {
	serve func(rest func())
	rest  func() // leaveRest, made once

	mu      sync.Mutex // held to post to the window, and to change these
	window  uintptr    // zero when detached: Windows may use a handle again
	looking bool       // look will be called

	// When wakeUp and rest became outstanding, in nanoseconds since epoch, or zero.
	posted, rested atomic.Int64

	thread uintptr

	// The thread uses these.
	began   time.Time // the first of the turns in a row
	ended   time.Time // the last
	follows bool      // the next was posted before that
	paused  time.Time // or zero
}

const (
	gap  = time.Millisecond
	lost = 100 * time.Millisecond // for how long a message is outstanding before it is posted again
)

var epoch = time.Now()

func sinceEpoch() int64 { return max(int64(time.Since(epoch)), 1) }

const (
	wakeUp = 0x8000 + iota // WM_APP
	rest
)

var (
	user32          = syscall.NewLazyDLL("user32.dll")
	createWindow    = user32.NewProc("CreateWindowExW")
	defWindowProc   = user32.NewProc("DefWindowProcW")
	destroyWindow   = user32.NewProc("DestroyWindow")
	dispatchMessage = user32.NewProc("DispatchMessageW")
	getMessage      = user32.NewProc("GetMessageW")
	getQueueStatus  = user32.NewProc("GetQueueStatus")
	peekMessage     = user32.NewProc("PeekMessageW")
	postMessage     = user32.NewProc("PostMessageW")
	postQuitMessage = user32.NewProc("PostQuitMessage")
	registerClass   = user32.NewProc("RegisterClassExW")
	translate       = user32.NewProc("TranslateMessage")
	getThreadID     = syscall.NewLazyDLL("kernel32.dll").NewProc("GetCurrentThreadId")
)

var loops sync.Map // from the handle of the window to its *messageLoop

// class registers the class of all windows, because a process may make only about 2,000 callbacks
// and never frees one. Its name has the address of the callback, for copies of the package in DLLs.
var class = sync.OnceValues(func() (atom uintptr, err error) {
	type classEx struct {
		size, style                        uint32
		proc                               uintptr
		classExtra, windowExtra            int32
		instance, icon, cursor, background uintptr
		menu, name                         *uint16
		smallIcon                          uintptr
	}
	proc := syscall.NewCallback(windowProc)
	name, err := syscall.UTF16PtrFromString(fmt.Sprintf("threadcall nativeloop %x", proc))
	if err != nil {
		return 0, err
	}
	c := classEx{proc: proc, name: name}
	c.size = uint32(unsafe.Sizeof(c))
	atom, _, err = registerClass.Call(uintptr(unsafe.Pointer(&c)))
	if atom == 0 {
		return 0, os.NewSyscallError("RegisterClassEx", err)
	}
	return atom, nil
})

func attach(serve func(rest func())) (native, error) {
	if err := user32.Load(); err != nil { // Windows without a graphical interface
		return nil, errors.Join(ErrNoLoop, err)
	}
	atom, err := class()
	if err != nil {
		return nil, fmt.Errorf("nativeloop: %w", err)
	}
	const messageOnly = ^uintptr(2) // HWND_MESSAGE
	l := &messageLoop{serve: serve, thread: currentThread()}
	l.rest = l.leaveRest
	l.window, _, err = createWindow.Call(0, atom, 0, 0, 0, 0, 0, 0, messageOnly, 0, 0, 0)
	if l.window == 0 {
		return nil, fmt.Errorf("nativeloop: %w", os.NewSyscallError("CreateWindowEx", err))
	}
	loops.Store(l.window, l)
	return l, nil
}

func newOwnLoop(serve func(rest func())) (native, func() error, error) {
	l, err := attach(serve)
	if err != nil {
		return nil, nil, err
	}
	turn := l.turner()
	return l, func() error {
		err := turn()
		if err == ErrQuit {
			removeMessage(0, quit) // there is no outer loop
		}
		return err
	}, nil
}

func (l *messageLoop) turner() (turn func() error) {
	m := new(message) // not on a stack, which the callbacks of GetMessage may move
	return func() error {
		switch got, _, _ := getMessage.Call(uintptr(unsafe.Pointer(m)), 0, 0, 0); int32(got) {
		case 0:
			_, _, _ = postQuitMessage.Call(m.wParam) // for the outer loop
			return ErrQuit
		case -1:
			return nil
		}
		_, _, _ = translate.Call(uintptr(unsafe.Pointer(m)))
		_, _, _ = dispatchMessage.Call(uintptr(unsafe.Pointer(m)))
		return nil
	}
}

func (l *messageLoop) wake() {
	if l.posted.CompareAndSwap(0, sinceEpoch()) {
		l.post(wakeUp)
	}
}

// post posts a message, which may be lost.
func (l *messageLoop) post(message uintptr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.window == 0 {
		return
	}
	_, _, _ = postMessage.Call(l.window, message, 0, 0)
	if !l.looking {
		l.looking = true
		time.AfterFunc(lost, l.look)
	}
}

// look posts wakeUp if a message has been outstanding for too long.
func (l *messageLoop) look() {
	l.mu.Lock()
	defer l.mu.Unlock()
	since := l.posted.Load()
	if rested := l.rested.Load(); since == 0 || rested != 0 && rested < since {
		since = rested
	}
	if l.looking = since != 0 && l.window != 0; !l.looking {
		return
	}
	next := lost - time.Duration(sinceEpoch()-since)
	if next <= 0 {
		_, _, _ = postMessage.Call(l.window, wakeUp, 0, 0)
		next = max(lost, (lost-next)/8)
	}
	time.AfterFunc(next, l.look)
}

func currentThread() uintptr {
	id, _, _ := getThreadID.Call()
	return id
}

func (l *messageLoop) here() bool { return currentThread() == l.thread }

func (l *messageLoop) detach() {
	l.mu.Lock()
	window := l.window
	l.window = 0
	l.mu.Unlock()
	l.rested.Store(0)
	loops.Delete(window)
	_, _, _ = destroyWindow.Call(window) // with its messages
}

func windowProc(window, message, wParam, lParam uintptr) uintptr {
	if l, ok := loops.Load(window); ok && (message == wakeUp || message == rest) {
		l.(*messageLoop).turn()
		return 0
	}
	result, _, _ := defWindowProc.Call(window, message, wParam, lParam)
	return result
}

// turn serves. Panics do not come out of serve, and so do not unwind what has called windowProc.
func (l *messageLoop) turn() {
	if !l.mayTurn(time.Now()) {
		return
	}
	l.posted.Store(0)
	l.rested.Store(0)
	window := l.window
	defer func() {
		if l.rested.Swap(0) != 0 {
			if m, found := removeMessage(window, rest); found && m.message == quit {
				_, _, _ = postQuitMessage.Call(m.wParam)
			}
		}
		l.ended, l.follows = time.Now(), l.posted.Load() != 0
	}()
	l.serve(l.rest)
}

// leaveRest is called before several functions are run.
func (l *messageLoop) leaveRest() {
	if l.rested.CompareAndSwap(0, sinceEpoch()) {
		l.post(rest)
	}
}

// mayTurn is false if the loop is to have the thread first; another message then follows.
func (l *messageLoop) mayTurn(now time.Time) bool {
	switch {
	case !l.paused.IsZero():
		if now.Sub(l.paused) < gap {
			return false
		}
		l.paused, l.began = time.Time{}, now
	case !l.follows && now.Sub(l.ended) >= gap:
		l.began = now
	case now.Sub(l.began) >= budget && othersWait():
		l.paused = now
		time.AfterFunc(gap, func() { l.post(wakeUp) })
		return false
	case now.Sub(l.began) >= budget:
		l.began = now
	}
	return true
}

// othersWait reports whether anything is in the queue that GetMessage takes after posted messages.
func othersWait() bool {
	const key, mouse, timer, paint, hotkey, rawInput = 0x1, 0x2 | 0x4, 0x10, 0x20, 0x80, 0x400
	status, _, _ := getQueueStatus.Call(key | mouse | timer | paint | hotkey | rawInput)
	return status>>16 != 0
}

const quit = 0x12 // WM_QUIT, which is found whatever is looked for

// removeMessage removes the first message of this kind, of a window or any, or WM_QUIT.
func removeMessage(window, kind uintptr) (m message, found bool) {
	const remove = 1
	got, _, _ := peekMessage.Call(uintptr(unsafe.Pointer(&m)), window, kind, kind, remove)
	return m, got != 0
}

// A message is a MSG of Windows.
type message struct {
	window         uintptr
	message        uint32
	wParam, lParam uintptr
	time           uint32
	x, y           int32
	private        uint32
}
