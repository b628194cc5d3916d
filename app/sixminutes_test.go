package app_test

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/internal/compare"
	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/mainthread"
)

var sixMinutes = flag.Duration("sixminutes", 2*time.Second, "how long TestSixMinutes measures")

const (
	sixWindows = 2
	sixRate    = 30 // frames a second of each window
)

// designs are the columns of TestSixMinutes. Each runs on the main thread of its own process.
var designs = []struct {
	title string
	run   func(*meter) error
}{
	{"article's first", served(compare.Naive())},
	{"article's last", served(compare.Struct())},
	{"threadcall", func(m *meter) error { return articleWindows(compare.MainThread, m) }},
	{"package app", appWindows},
}

func init() {
	for _, d := range designs {
		programs[d.title] = func() {
			mainthread.Init(func() {
				m := &meter{ended: make(chan struct{})}
				if err := d.run(m); err != nil || !m.over.Load() {
					panic(fmt.Sprint("a window was closed before the time was up, or ", err))
				}
				<-m.ended
				fmt.Printf("column\n%s\n---\n%s", d.title, m.column)
			})
		}
	}
}

// TestSixMinutes repeats the measurement with which the article "Scheduling Function Calls with
// Zero Allocation" ends: two windows, open for six minutes, and how the heap grows. It does so for
// the article's designs and for threadcall, at the same time, so that whatever else the machine
// does affects all of them, and prints a table in Markdown. make sixminutes runs it.
func TestSixMinutes(t *testing.T) {
	if x.Conn == nil {
		t.Skip("windows do not use X11 here")
	}
	columns := make([][]string, len(designs))
	var running sync.WaitGroup
	for i, d := range designs {
		running.Go(func() {
			out, status, err := testutil.Run(*sixMinutes+testutil.TimeLimit(),
				"THREADCALL_PROGRAM="+d.title, "THREADCALL_FOR="+sixMinutes.String())
			_, column, found := strings.Cut(out, "column\n") // behind what drivers write
			if columns[i] = strings.Split(column, "\n"); err != nil || status != 0 || !found {
				t.Errorf("%s: status %d, %v\n%s", d.title, status, err, out)
			}
		})
	}
	if running.Wait(); t.Failed() {
		return
	}
	for i, name := range []string{"", "---", "heap growth between two collections",
		"allocated in all", "mallocs a frame", "frames a second, each window", "CPU, of one core"} {
		fmt.Printf("| %s |", name)
		for _, c := range columns {
			fmt.Printf(" %s |", c[i])
		}
		fmt.Println()
	}
	if got := columns[0][4]; !strings.HasPrefix(got, "2.") {
		t.Errorf("the article's first design allocates %s times a frame, want 2", got)
	}
}

// served shows the windows by the article's loop, and calls the main thread by d.
func served(d compare.Design) func(*meter) error {
	return func(m *meter) error {
		defer compare.OnMain(d)()
		return articleWindows(d, m)
	}
}

// articleWindows is the article's program: each window has a goroutine that draws and then waits on
// the main thread for events. The waits of the windows follow each other there, so each is as long
// as it takes that all windows show sixRate frames a second. (The article's is 1/30 s, with which
// two windows show 15.)
func articleWindows(main compare.Subject, m *meter) (err error) {
	open := make([]*glfw.Window, sixWindows)
	main.Call(func() {
		err = glfw.Init()
		for i := 0; i < sixWindows && err == nil; i++ {
			open[i], err = glfw.CreateWindow(640, 480, "six minutes", nil, nil)
		}
	})
	if err != nil {
		return err
	}
	go m.run()
	var loading sync.Mutex
	var all sync.WaitGroup
	for i, w := range open {
		all.Go(func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			w.MakeContextCurrent()
			defer glfw.DetachCurrentContext()
			glfw.SwapInterval(1)
			loading.Lock()
			err = errors.Join(err, gl.Init())
			loaded := err == nil
			loading.Unlock()
			for loaded && !w.ShouldClose() && !m.over.Load() {
				m.draw(glfw.GetTime(), i)
				w.SwapBuffers()
				main.Call(func() { glfw.WaitEventsTimeout(1.0 / (sixWindows * sixRate)) })
			}
		})
	}
	if all.Wait(); err == nil {
		main.Call(glfw.Terminate)
	}
	return err
}

// appWindows shows the same windows by package app.
func appWindows(m *meter) error {
	if err := app.Init(); err != nil {
		return err
	}
	defer app.Terminate()
	var all sync.WaitGroup
	for i := range sixWindows {
		w, err := app.NewWindow(openGL, app.Pace(sixRate))
		if err != nil {
			return err
		}
		w.OnDraw(func(f *app.Frame) {
			if m.draw(f.Time.Seconds(), i); m.over.Load() {
				w.Stop()
			}
		})
		all.Go(w.Run)
	}
	m.run()
	all.Wait()
	return nil
}

// A meter measures what the process does while the windows are shown.
type meter struct {
	frames atomic.Uint64 // of all windows
	over   atomic.Bool   // the windows are to close
	ended  chan struct{}
	column string
}

// draw fills a window with a colour that changes with time.
func (m *meter) draw(seconds float64, window int) {
	c := func(phase float64) float32 {
		return float32(0.5 + 0.4*math.Sin(seconds+2*float64(window)+phase))
	}
	gl.ClearColor(c(0), c(2), c(4), 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	m.frames.Add(1)
}

// run looks at the heap each second until the time is up, and allocates nothing meanwhile. Nothing
// is collected for it: the heap is what the trace of the article shows as allocated, garbage
// included.
func (m *meter) run() {
	defer close(m.ended)
	duration, err := time.ParseDuration(os.Getenv("THREADCALL_FOR"))
	if err != nil {
		panic(err)
	}
	time.Sleep(min(5*time.Second, duration)) // in which the first frames allocate
	runtime.GC()
	runtime.GC()                         // pools give up in the second what they kept in the first
	var first, low, now runtime.MemStats // low is the first since the last collection
	runtime.ReadMemStats(&first)
	start, cpu, drawn := time.Now(), compare.CPUTime(), m.frames.Load()
	growth := uint64(0) // the most by which the heap grew between two collections
	low = first
	for range max(2, duration/time.Second) {
		time.Sleep(time.Second)
		if runtime.ReadMemStats(&now); now.NumGC != low.NumGC {
			low = now
		}
		growth = max(growth, now.HeapAlloc-min(low.HeapAlloc, now.HeapAlloc))
	}
	seconds, frames := time.Since(start).Seconds(), float64(m.frames.Load()-drawn)
	cpu = compare.CPUTime() - cpu
	m.over.Store(true)
	m.column = fmt.Sprintf("%.1f KiB\n%.1f KiB\n%.4f\n%.1f\n%.1f %%", float64(growth)/1024,
		float64(now.TotalAlloc-first.TotalAlloc)/1024,
		float64(now.Mallocs-first.Mallocs)/max(frames, 1), frames/sixWindows/seconds,
		100*cpu.Seconds()/seconds)
}
