//go:build linux && (amd64 || arm64)

package nativeloop_test

import (
	"errors"
	"os"
	"os/exec"
	"reflect"
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
var glib struct {
	NewContext func() uintptr                               `c:"g_main_context_new"`
	Push       func(context uintptr)                        `c:"g_main_context_push_thread_default"`
	Pop        func(context uintptr)                        `c:"g_main_context_pop_thread_default"`
	Acquire    func(context uintptr) int32                  `c:"g_main_context_acquire"`
	Release    func(context uintptr)                        `c:"g_main_context_release"`
	Iterate    func(context uintptr, block int32) int32     `c:"g_main_context_iteration"`
	NewLoop    func(context uintptr, running int32) uintptr `c:"g_main_loop_new"`
	Run        func(loop uintptr)                           `c:"g_main_loop_run"`
	Quit       func(loop uintptr)                           `c:"g_main_loop_quit"`
	Invoke     uintptr                                      `c:"g_main_context_invoke_full"`
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

// loadGLib loads GLib, once.
func loadGLib(t testing.TB) {
	t.Helper()
	loaded.Do(func() {
		beforeGLib = mainthread.CallV(attachMain)
		load(t, "libglib-2.0.so.0", &glib)
		afterGLib = mainthread.CallV(attachMain)
	})
	if glib.Run == nil {
		t.Skip("NOT TESTED: there is no GLib")
	}
}

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
		h := host{Thread: thread.Adopt(), context: glib.NewContext()}
		defer h.Terminate()
		glib.Push(h.context)
		defer glib.Pop(h.context)
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
	loop := glib.NewLoop(h.context, 0)
	go func() {
		f()
		h.Call(func() { glib.Quit(loop) })
	}()
	glib.Run(loop)
}

// idle has the context call f with the priority, again and again until f returns 0. It must not be
// called on the thread.
func (h host) idle(priority, f uintptr) {
	_, _, _ = purego.SyscallN(glib.Invoke, h.context, priority, f, 0, 0)
}

// What is queued behind a function that runs a loop was announced before, and must run in the loop.
func TestAttach_nested(t *testing.T) {
	for name, queue := range map[string]func(h host, loops [3]uintptr){
		"behind": func(h host, loops [3]uintptr) {
			h.Go(func() { glib.Run(loops[1]) })
			h.Go(func() { glib.Quit(loops[1]) })
		},
		"behind two": func(h host, loops [3]uintptr) {
			h.Go(func() { glib.Run(loops[1]) })
			h.Go(func() { glib.Run(loops[2]) })
			h.Go(func() { glib.Quit(loops[2]) })
			h.Go(func() { glib.Quit(loops[1]) })
		},
		"one after the other": func(h host, loops [3]uintptr) {
			h.Go(func() { glib.Run(loops[1]); glib.Run(loops[2]) })
			h.Go(func() { glib.Quit(loops[1]) })
			h.Go(func() { h.Go(func() { glib.Quit(loops[2]) }) })
		},
		"while the loop runs": func(h host, loops [3]uintptr) {
			h.Go(func() {
				go h.Call(func() { go h.Call(func() { glib.Quit(loops[1]) }) })
				glib.Run(loops[1])
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			onHost(t, func(h host) {
				var loops [3]uintptr
				for i := range loops {
					loops[i] = glib.NewLoop(h.context, 0)
				}
				queued := make(chan bool)
				go func() {
					defer close(queued)
					queue(h, loops)
					h.Go(func() { glib.Quit(loops[0]) })
				}()
				<-queued
				glib.Run(loops[0])
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
			glib.Iterate(h.context, 0)
		}
		for range 1000 {
			if glib.Iterate(h.context, 0) != 0 {
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
			glib.Iterate(h.context, 1)
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
							h.Call(func() { glib.Iterate(h.context, 0) })
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
				glib.Iterate(h.context, 0)
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
	glib.Acquire(0) // the default context
	defer glib.Release(0)
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
		detach, err := nativeloop.Attach(mainthread.Thread())
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
