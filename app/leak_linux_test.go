package app_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/app"
)

// use is what leaks would make grow.
type use struct {
	threads, goroutines, files int
	resident, heap             int // KiB
}

func (u use) String() string {
	return fmt.Sprintf("%d threads, %d goroutines, %d files, %d KiB resident, %d KiB of Go's heap",
		u.threads, u.goroutines, u.files, u.resident, u.heap)
}

func used(t *testing.T) (u use) {
	t.Helper()
	debug.FreeOSMemory()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	u.heap = int(m.HeapAlloc >> 10)
	u.goroutines = runtime.NumGoroutine()
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip("no /proc to see what the process uses: ", err)
	}
	for line := range strings.Lines(string(b)) {
		_, _ = fmt.Sscanf(line, "Threads: %d", &u.threads)
		_, _ = fmt.Sscanf(line, "VmRSS: %d", &u.resident)
	}
	files, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	u.files = len(files)
	return u
}

func TestAHundredWindowsLeakNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	begin(t)
	const windows = 100
	one := func() {
		w, err := app.NewWindow(app.Size(64, 64))
		if err != nil {
			t.Fatal(err)
		}
		w.SetCursor(app.HandCursor)
		w.OnDraw(func(f *app.Frame) {
			quarters(f)
			if f.Number == 2 {
				w.Stop()
			}
		})
		w.Run()
	}
	ends(t, func() {
		for range 20 { // the first ones make what stays
			one()
		}
	})
	before := used(t)
	start := time.Now()
	endsWithin(t, 5*patience, func() {
		for range windows {
			one()
		}
	})
	t.Logf("%d windows took %v", windows, time.Since(start))
	var after use
	for wait := time.Now(); ; time.Sleep(10 * time.Millisecond) { // threads take a moment to end
		after = used(t)
		if after.threads <= before.threads+2 && after.goroutines <= before.goroutines || time.Since(wait) > patience/4 {
			break
		}
	}
	t.Logf("before: %v", before)
	t.Logf("after:  %v", after)
	if after.threads > before.threads+4 || after.goroutines > before.goroutines || after.files > before.files {
		t.Error("windows leave threads, goroutines or files behind")
	}
	if n := after.heap - before.heap; n > 512 {
		t.Errorf("Go's heap has grown by %d KiB in %d windows", n, windows)
	}
	if n := after.resident - before.resident; n > 100*windows && !raceEnabled {
		t.Errorf("the process has grown by %d KiB in %d windows", n, windows)
	}
}
