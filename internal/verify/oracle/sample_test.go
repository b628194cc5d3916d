package oracle

import (
	"math/rand/v2"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/group"
	"github.com/threadcall/threadcall/thread"
)

func TestGrowthIsDistinguishedFromNoise(t *testing.T) {
	noise := func() float64 { return 20 * rand.Float64() }
	for _, c := range []struct {
		name     string
		of       func(i int) float64
		min, max float64 // growth in 600 samples
	}{
		{"noise", func(int) float64 { return noise() }, -20, 0},
		{"a line in noise", func(i int) float64 { return float64(i) + noise() }, 220, 280},
		{"spikes", func(i int) float64 { return 1e6 * float64(max(0, i%50-48)) }, 0, 0},
		{"a step at first", func(i int) float64 { return 100 * float64(min(1, i/99)) }, 0, 0},
		{"a step", func(i int) float64 { return 100 * float64(min(1, i/300)) }, 100, 100},
	} {
		var values []float64
		for i := range 600 {
			values = append(values, c.of(i))
		}
		if g := growth(values); g < c.min || g > c.max {
			t.Errorf("%s: grows by %v, want %v to %v", c.name, g, c.min, c.max)
		}
	}
}

func TestASampleHasWhatIsHeld(t *testing.T) {
	before := take(time.Now())
	held := make([]byte, 10<<20)
	f, err := os.Open(".")
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	stop, locked := make(chan bool), make(chan bool)
	defer close(stop)
	for range 10 {
		go func() {
			runtime.LockOSThread()
			locked <- true
			<-stop
		}()
		<-locked
	}
	after := take(time.Now())
	runtime.KeepAlive(held)
	for i, least := range [...]float64{9 << 10, 10, 0, 1} {
		if d := after.held[i] - before.held[i]; d < least && (i < 2 || runtime.GOOS == "linux") {
			t.Errorf("%s: %v, %v before", measures[i].name, after.held[i], before.held[i])
		}
	}
}

func TestAThreadIsCollectedAlthoughWhatItHasRefersToIt(t *testing.T) {
	for name, use := range map[string]func(){
		"the OnWake callback of an adopted thread": func() {
			a := thread.Adopt()
			a.OnWake(func() { a.On() })
			a.Terminate()
		},
		"what SetTLS stored": func() {
			a := thread.New()
			a.SetTLS(a)
			a.Terminate()
		},
	} {
		const n, attempts = 1000, 4
		var grown float64         // KiB
		for a := range attempts { // what other tests have left behind may grow as well, but not each time
			before := take(time.Now()).held[0]
			for range n {
				var one group.Group
				one.Go(use)
				one.Wait()
			}
			for start := time.Now(); time.Since(start) < *timeLimit/attempts; time.Sleep(10 * time.Millisecond) {
				if grown = take(start).held[0] - before; grown < n/2 {
					break
				}
			}
			if grown < n/2 {
				break
			}
			t.Logf("%s: attempt %d: %.0f KiB", name, a, grown)
		}
		if grown >= n/2 {
			t.Errorf("%s: %d threads leave %.0f KiB behind", name, n, grown)
		}
	}
}
