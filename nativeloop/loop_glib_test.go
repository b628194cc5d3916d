//go:build linux && (amd64 || arm64)

package nativeloop_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/ebitengine/purego"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

const priority = 120 // of GTK's redraws, and of calls

// What the tests call of GLib.
var glib struct {
	NewContext func() uintptr                           `c:"g_main_context_new"`
	Push       func(context uintptr)                    `c:"g_main_context_push_thread_default"`
	Pop        func(context uintptr)                    `c:"g_main_context_pop_thread_default"`
	Default    func() (context uintptr)                 `c:"g_main_context_get_thread_default"`
	Acquire    func(context uintptr) int32              `c:"g_main_context_acquire"`
	Release    func(context uintptr)                    `c:"g_main_context_release"`
	Iterate    func(context uintptr, block int32) int32 `c:"g_main_context_iteration"`
	Invoke     uintptr                                  `c:"g_main_context_invoke_full"`
}

// load opens a library and sets the fields that functions refers to, or skips the test.
func load(t testing.TB, library string, functions any) {
	t.Helper()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	fields := reflect.ValueOf(functions).Elem()
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Tag.Get("c")
		switch f := fields.Field(i).Addr().Interface().(type) {
		case *uintptr:
			*f, _ = purego.Dlsym(handle, name)
		default:
			purego.RegisterLibFunc(f, handle, name)
		}
	}
}

var (
	loaded                sync.Once
	beforeGLib, afterGLib error // of Attach
)

// needNative loads GLib, once.
func needNative(t testing.TB) {
	t.Helper()
	loaded.Do(func() {
		beforeGLib = mainthread.MustEval(attachMain)
		load(t, "libglib-2.0.so.0", &glib)
		afterGLib = mainthread.MustEval(attachMain)
	})
	if glib.Push == nil {
		t.Skip("NOT TESTED: there is no GLib")
	}
}

// functions has what newPost has posted, by the data of its sources.
var (
	functions sync.Map
	posted    atomic.Uintptr
)

var runPosted = sync.OnceValue(func() uintptr {
	return purego.NewCallback(func(data uintptr) uintptr {
		f, _ := functions.LoadAndDelete(data)
		f.(func())()
		return 0
	})
})

// newPost returns what has the thread-default context of the thread call f.
func newPost() (post func(f func())) {
	context := glib.Default()
	return func(f func()) {
		data := posted.Add(1)
		functions.Store(data, f)
		_, _, _ = purego.SyscallN(glib.Invoke, context, priority, runPosted(), data, 0)
	}
}

func loopExists() bool { return glib.Default() != 0 }

// quitOwn ends the loop of th, on the thread. A context has nothing that tells it to quit.
func quitOwn(th *thread.Thread) { th.Close() }

// newNative makes a context for the thread.
func newNative() native {
	context := glib.NewContext()
	glib.Push(context)
	post := newPost()
	redraw := &event{}
	redraw.raise = func() { post(func() { redraw.seen.Add(1) }) }
	return native{
		turn: func(wait bool) bool {
			var block int32
			if wait {
				block = 1
			}
			return glib.Iterate(context, block) != 0
		},
		post: post,
		events: func() map[uint32]*event {
			return map[uint32]*event{priority: redraw}
		},
		end: func() { glib.Pop(context) },
	}
}

func TestAttach_returnsErrNoLoopWithoutGLib(t *testing.T) {
	needNative(t)
	if !errors.Is(beforeGLib, nativeloop.ErrNoLoop) || !errors.Is(beforeGLib, errors.ErrUnsupported) ||
		!strings.Contains(beforeGLib.Error(), "libglib-2.0.so.0 is not in the process") {
		t.Errorf("without GLib, Attach returned %v", beforeGLib)
	}
	if afterGLib != nil {
		t.Error(afterGLib)
	}
}

func TestAttach_returnsErrOwnedForTheContextOfAnother(t *testing.T) {
	needNative(t)
	glib.Acquire(0) // the default context
	defer glib.Release(0)
	if err := mainthread.MustEval(attachMain); !errors.Is(err, nativeloop.ErrOwned) ||
		errors.Is(err, nativeloop.ErrNoLoop) {
		t.Errorf("Attach returned %v", err)
	}
}

// The default context is for the main thread, and for one that owns it.
func TestAttach_takesTheDefaultContextOfItsOwner(t *testing.T) {
	needNative(t)
	testutil.Ends(t, func() {
		runtime.LockOSThread()
		l := thread.Adopt()
		defer l.Close()
		if err := attach(l); !errors.Is(err, nativeloop.ErrOwned) ||
			!strings.Contains(err.Error(), "g_main_context_push_thread_default") {
			t.Errorf("without a context: %v", err)
		}
		glib.Acquire(0)
		defer glib.Release(0)
		if err := attach(l); err != nil {
			t.Error(err)
		}
	})
}

// Wait turns the context of Attach, and not that which the thread has now.
func TestWait_turnsTheContextOfAttach(t *testing.T) {
	onHost(t, func(h *host) {
		other := glib.NewContext()
		glib.Push(other)
		defer glib.Pop(other)
		ctx, cancel := context.WithCancel(t.Context())
		go h.Call(cancel)
		if err := nativeloop.Wait(ctx, h.own, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("Wait returned %v", err)
		}
	})
}

// What is queued for a thread whose context another thread runs is not lost, and does not end the
// program.
func TestAttach_namesTheThreadThatRunsItsContext(t *testing.T) {
	onHost(t, func(h *host) {
		reports, err := os.CreateTemp(t.TempDir(), "")
		if err != nil {
			t.Error(err)
			return
		}
		defer reports.Close()
		stderr := os.Stderr
		os.Stderr = reports
		defer func() { os.Stderr = stderr }()
		contextOf, want := glib.Default(), make(chan string)
		glib.Pop(contextOf) // which this thread owns until then
		defer glib.Push(contextOf)
		var over atomic.Bool
		ended := make(chan bool)
		go func() {
			defer close(ended)
			runtime.LockOSThread()
			glib.Acquire(contextOf)
			defer glib.Release(contextOf)
			want <- fmt.Sprintf("thread %d runs the context", syscall.Gettid())
			for !over.Load() {
				glib.Iterate(contextOf, 0)
			}
		}()
		named, self := <-want, fmt.Sprintf("thread %d is attached", syscall.Gettid())
		ran := 0
		h.Go(func() { ran++ })
		testutil.Eventually(t, func() bool {
			text, _ := os.ReadFile(reports.Name())
			return strings.Contains(string(text), named) && strings.Contains(string(text), self)
		}, "a line with %q and %q", named, self)
		if err := nativeloop.Wait(t.Context(), h.own, nil); !errors.Is(err, nativeloop.ErrOwned) ||
			!strings.Contains(err.Error(), named) || !strings.Contains(err.Error(), self) {
			t.Errorf("Wait returned %v", err)
		}
		over.Store(true)
		<-ended
		if ran != 0 {
			t.Error("the function has run while another thread ran the context")
		}
		for ran == 0 {
			h.turn(true)
		}
	})
}

// What Attach has opened is closed by detach, and not later by the collector.
func TestAttach_leavesNoFilesOpen(t *testing.T) {
	onHost(t, func(h *host) {
		files := func() int {
			names, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Error(err)
			}
			return len(names)
		}
		h.detach()
		defer debug.SetGCPercent(debug.SetGCPercent(-1))
		before := files()
		for range 100 {
			if err := attach(h.own); err != nil {
				t.Error(err)
			}
		}
		if n := files() - before; n > 50 { // other tests may open some
			t.Errorf("%d files are open after 100 times Attach and detach", n)
		}
	})
}

func attachMain() error { return attach(mainthread.Loop()) }

func attach(l *thread.Loop) error {
	detach, err := nativeloop.Attach(l)
	if err == nil {
		detach()
	}
	return err
}

// TestAttach_servesInADialog runs itself on a screen in memory.
func TestAttach_servesInADialog(t *testing.T) {
	if os.Getenv("THREADCALL_SCREEN") == "" {
		cmd := exec.Command("xvfb-run", "-a", os.Args[0], "-test.v", "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), "THREADCALL_SCREEN=xvfb")
		out, err := cmd.CombinedOutput()
		if errors.Is(err, exec.ErrNotFound) || strings.Contains(string(out), "NOT TESTED: ") {
			t.Skipf("NOT TESTED: %v\n%s", err, out)
		} else if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	var gtk struct {
		Init     func(argc, argv uintptr) int32       `c:"gtk_init_check"`
		Main     func()                               `c:"gtk_main"`
		MainQuit func()                               `c:"gtk_main_quit"`
		Dialog   func() uintptr                       `c:"gtk_dialog_new"`
		Run      func(dialog uintptr) int32           `c:"gtk_dialog_run"`
		Respond  func(dialog uintptr, response int32) `c:"gtk_dialog_response"`
		Destroy  func(widget uintptr)                 `c:"gtk_widget_destroy"`
	}
	load(t, "libgtk-3.so.0", &gtk)
	mainthread.Call(func() {
		if gtk.Init(0, 0) == 0 {
			t.Fatal("GTK cannot open the screen")
		}
		detach, err := nativeloop.Attach(mainthread.Loop())
		if err != nil {
			t.Fatal(err)
		}
		defer detach()
		var dialog uintptr
		go func() {
			defer mainthread.Go(gtk.MainQuit)
			open := make(chan bool)
			mainthread.Go(func() {
				dialog = gtk.Dialog()
				close(open)
				if response := gtk.Run(dialog); response != 7 {
					t.Errorf("the dialog has ended with %d", response)
				}
				gtk.Destroy(dialog)
			})
			<-open
			for range 100 {
				mainthread.Call(func() {})
			}
			mainthread.Call(func() { gtk.Respond(dialog, 7) })
		}()
		gtk.Main()
	})
}
