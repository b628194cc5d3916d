//go:build linux && (amd64 || arm64)

package nativeloop_test

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ebitengine/purego"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

// What the tests call of GLib.
var (
	newContext            func() uintptr
	push, pop             func(context uintptr)
	iterate               func(context uintptr, block int32) int32
	newLoop               func(context uintptr, running int32) uintptr
	runLoop, quitLoop     func(loop uintptr)
	invoke                uintptr
	acquire               func(context uintptr) int32
	release               func(context uintptr)
	beforeGLib, afterGLib error // of Attach
)

// load opens a library and sets the functions to its functions, or skips the test.
func load(t testing.TB, library string, functions map[string]any) {
	t.Helper()
	handle, err := purego.Dlopen(library, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	for name, f := range functions {
		if address, ok := f.(*uintptr); ok {
			*address, _ = purego.Dlsym(handle, name)
		} else {
			purego.RegisterLibFunc(f, handle, name)
		}
	}
}

// loadGLib loads GLib, once.
func loadGLib(t testing.TB) {
	t.Helper()
	loaded.Do(func() {
		beforeGLib = mainthread.CallV(attachMain)
		load(t, "libglib-2.0.so.0", map[string]any{
			"g_main_context_new":                 &newContext,
			"g_main_context_push_thread_default": &push,
			"g_main_context_pop_thread_default":  &pop,
			"g_main_context_iteration":           &iterate,
			"g_main_loop_new":                    &newLoop,
			"g_main_loop_run":                    &runLoop,
			"g_main_loop_quit":                   &quitLoop,
			"g_main_context_invoke_full":         &invoke,
			"g_main_context_acquire":             &acquire,
			"g_main_context_release":             &release,
		})
		afterGLib = mainthread.CallV(attachMain)
	})
	if runLoop == nil {
		t.Skip("NOT TESTED: there is no GLib")
	}
}

var loaded sync.Once

// A host is a thread with a context of its own, to which it is attached.
type host struct {
	*thread.Thread
	context uintptr
	detach  func()
}

// onHost runs f on the thread of a host.
func onHost(t testing.TB, f func(h host)) {
	t.Helper()
	loadGLib(t)
	ended := make(chan bool)
	go func() {
		defer close(ended)
		h := host{Thread: thread.Adopt(), context: newContext()}
		defer h.Terminate()
		push(h.context)
		defer pop(h.context)
		var err error
		if h.detach, err = nativeloop.Attach(h.Thread); err != nil {
			t.Error(err)
			return
		}
		defer h.detach()
		f(h)
	}()
	testutil.Arrives(t, ended)
}

// loop runs a loop of the context, nested or not, while f runs elsewhere.
func (h host) loop(f func()) {
	loop := newLoop(h.context, 0)
	go func() {
		f()
		h.Call(func() { quitLoop(loop) })
	}()
	runLoop(loop)
}

// idle has the context call f with the priority, again and again until f returns 0. It must not be
// called on the thread.
func (h host) idle(priority, f uintptr) {
	_, _, _ = purego.SyscallN(invoke, h.context, priority, f, 0, 0)
}

// What is queued behind a function that runs a loop was announced before, and must run in the loop.
func TestAttach_nested(t *testing.T) {
	for name, queue := range map[string]func(h host, loops [3]uintptr){
		"behind": func(h host, loops [3]uintptr) {
			h.Go(func() { runLoop(loops[1]) })
			h.Go(func() { quitLoop(loops[1]) })
		},
		"behind two": func(h host, loops [3]uintptr) {
			h.Go(func() { runLoop(loops[1]) })
			h.Go(func() { runLoop(loops[2]) })
			h.Go(func() { quitLoop(loops[2]) })
			h.Go(func() { quitLoop(loops[1]) })
		},
		"one after the other": func(h host, loops [3]uintptr) {
			h.Go(func() { runLoop(loops[1]); runLoop(loops[2]) })
			h.Go(func() { quitLoop(loops[1]) })
			h.Go(func() { h.Go(func() { quitLoop(loops[2]) }) })
		},
		"while the loop runs": func(h host, loops [3]uintptr) {
			h.Go(func() {
				go h.Call(func() { go h.Call(func() { quitLoop(loops[1]) }) })
				runLoop(loops[1])
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, func(h host) {
				var loops [3]uintptr
				for i := range loops {
					loops[i] = newLoop(h.context, 0)
				}
				queued := make(chan bool)
				go func() {
					defer close(queued)
					queue(h, loops)
					h.Go(func() { quitLoop(loops[0]) })
				}()
				<-queued
				runLoop(loops[0])
			})
		})
	}
}

func TestAttach_idle(t *testing.T) {
	onHost(t, func(h host) {
		h.loop(func() {
			for range 10 {
				h.Call(func() {})
			}
		})
		for range 3 { // GLib's own wake-ups
			iterate(h.context, 0)
		}
		for range 1000 {
			if iterate(h.context, 0) != 0 {
				t.Fatal("the loop has called the package, although nothing is queued")
			}
		}
	})
}

// What has the priority of redraws must not wait for all that is queued.
func TestAttach_flood(t *testing.T) {
	onHost(t, func(h host) {
		var ended atomic.Bool
		ran := 0
		for range 10_000 {
			h.Go(func() {
				ran++
				for start := time.Now(); time.Since(start) < 100*time.Microsecond && !ended.Load(); {
				}
			})
		}
		redraws := 0
		redraw := purego.NewCallback(func(uintptr) uintptr {
			if redraws++; redraws < 10 {
				return 1
			}
			ended.Store(true)
			return 0
		})
		idle := make(chan bool)
		go func() { h.idle(nativeloop.GLibPriority, redraw); close(idle) }()
		<-idle
		for !ended.Load() {
			iterate(h.context, 1)
		}
		if ran == 10_000 {
			t.Error("all functions have run before 10 redraws")
		}
	})
}

func TestAttach_wakeUps(t *testing.T) {
	onHost(t, func(h host) {
		var ran atomic.Int32
		h.loop(func() {
			var callers sync.WaitGroup
			for range 4 {
				callers.Add(1)
				go func() {
					defer callers.Done()
					for i := range 1000 {
						h.Go(func() { ran.Add(1) })
						if i%3 == 0 {
							h.Call(func() { iterate(h.context, 0) })
						}
					}
				}()
			}
			callers.Wait()
		})
		if n := ran.Load(); n != 4000 {
			t.Errorf("%d of 4,000 functions have run", n)
		}
	})
}

func TestAttach_panic(t *testing.T) {
	onHost(t, func(h host) {
		h.loop(func() {
			h.Go(func() { panic("posted") })
			if v := testutil.Recovered(func() { h.Call(func() { panic("called") }) }); v != "called" {
				t.Errorf("the caller got %v", v)
			}
		})
		if p := h.TakePanic(); p == nil || p.Value != "posted" {
			t.Errorf("TakePanic returned %v", p)
		}
	})
}

func TestAttach_detach(t *testing.T) {
	onHost(t, func(h host) {
		ran := 0
		turn := func(queue func(), want int) {
			t.Helper()
			h.Go(queue)
			for range 5 {
				iterate(h.context, 0)
			}
			if ran != want {
				t.Errorf("%d functions have run, want %d", ran, want)
			}
		}
		turn(func() { ran++ }, 1)
		turn(func() { ran++; h.detach(); h.detach() }, 2)
		turn(func() { ran++ }, 2)
		detach, err := nativeloop.Attach(h.Thread)
		if err != nil {
			t.Fatal(err)
		}
		turn(func() { ran++ }, 4)
		h.Terminate()
		turn(func() { ran++ }, 4)
		detach()
	})
}

func TestAttach_error(t *testing.T) {
	onHost(t, func(h host) {
		_, err := nativeloop.Attach(h.Thread)
		if taken := (*nativeloop.TakenError)(nil); !errors.As(err, &taken) ||
			!strings.Contains(taken.Stack, "nativeloop_test.onHost") {
			t.Errorf("the second Attach returned %v", err)
		}
		if v := testutil.Recovered(func() { nativeloop.Attach(mainthread.Thread()) }); v == nil {
			t.Error("Attach off the thread has not panicked")
		}
	})
	acquire(0) // the default context
	defer release(0)
	for text, err := range map[string]error{
		"libglib-2.0.so.0 is not in the process": beforeGLib,
		"another thread runs":                    mainthread.CallV(attachMain),
	} {
		if !errors.Is(err, nativeloop.ErrNoLoop) || !strings.Contains(err.Error(), text) {
			t.Errorf("error %v, want one with %q", err, text)
		}
	}
	if afterGLib != nil {
		t.Error(afterGLib)
	}
}

func attachMain() error {
	detach, err := nativeloop.Attach(mainthread.Thread())
	if err == nil {
		detach()
	}
	return err
}

// TestAttach_dialog runs itself on a screen in memory.
func TestAttach_dialog(t *testing.T) {
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
	var (
		gtkInit     func(argc, argv uintptr) int32
		newDialog   func() uintptr
		runDialog   func(dialog uintptr) int32
		respond     func(dialog uintptr, response int32)
		destroy     func(widget uintptr)
		gtkMain     func()
		gtkMainQuit func()
	)
	load(t, "libgtk-3.so.0", map[string]any{
		"gtk_init_check":      &gtkInit,
		"gtk_dialog_new":      &newDialog,
		"gtk_dialog_run":      &runDialog,
		"gtk_dialog_response": &respond,
		"gtk_widget_destroy":  &destroy,
		"gtk_main":            &gtkMain,
		"gtk_main_quit":       &gtkMainQuit,
	})
	mainthread.Call(func() {
		if gtkInit(0, 0) == 0 {
			t.Fatal("GTK cannot open the screen")
		}
		detach, err := nativeloop.Attach(mainthread.Thread())
		if err != nil {
			t.Fatal(err)
		}
		defer detach()
		var dialog uintptr
		go func() {
			defer mainthread.Go(gtkMainQuit)
			open := make(chan bool)
			mainthread.Go(func() {
				dialog = newDialog()
				close(open)
				if response := runDialog(dialog); response != 7 {
					t.Errorf("the dialog has ended with %d", response)
				}
				destroy(dialog)
			})
			<-open
			for range 100 {
				mainthread.Call(func() {})
			}
			mainthread.Call(func() { respond(dialog, 7) })
		}()
		gtkMain()
	})
}

// BenchmarkCall compares with functions that idle sources take from a channel.
func BenchmarkCall(b *testing.B) {
	functions := make(chan func(), 100)
	source := purego.NewCallback(func(uintptr) uintptr { (<-functions)(); return 0 })
	done := make(chan bool, 1)
	for name, posts := range map[string]int{"call": 0, "99 posts and a call": 99} {
		b.Run(name, func(b *testing.B) {
			onHost(b, func(h host) {
				byChannel := func(f func()) bool {
					functions <- f
					h.idle(nativeloop.GLibPriority, source)
					return true
				}
				callByChannel := func(f func()) bool {
					byChannel(func() { f(); done <- true })
					return <-done
				}
				took := map[string][]time.Duration{}
				measure := func(name string, post, call func(f func()) bool) {
					for range 10 {
						began := time.Now()
						for range posts {
							post(func() {})
						}
						call(func() {})
						took[name] = append(took[name], time.Since(began))
					}
				}
				h.loop(func() {
					for b.Loop() {
						measure("threadcall", h.Go, h.Call)
						measure("channel", byChannel, callByChannel)
					}
				})
				for name, t := range took {
					slices.Sort(t)
					b.ReportMetric(float64(t[len(t)/2].Nanoseconds()), name+"-p50-ns")
					b.ReportMetric(float64(t[len(t)*99/100].Nanoseconds()), name+"-p99-ns")
				}
			})
		})
	}
}
