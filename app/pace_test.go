package app

import (
	"testing"
	"time"
)

func TestPace_clockRate(t *testing.T) {
	for _, test := range []struct {
		name    string
		vsync   bool
		limit   float64 // FrameRate
		refresh int64
		waits   bool
		want    float64
	}{
		{"without vsync", false, 0, 60, false, 0},
		{"without vsync, FrameRate", false, 75, 60, false, 75},
		{"a rate that no clock has", false, 1e300, 60, false, 1e6},
		{"the driver waits", true, 0, 60, true, 0},
		{"the driver does not wait", true, 0, 144, false, 144},
		{"an unknown monitor", true, 0, 0, false, 60},
		{"an unknown monitor, FrameRate", true, 75, 0, false, 75},
		{"FrameRate below the monitor's", true, 30, 60, true, 30},
		{"FrameRate above the monitor's", true, 75, 60, false, 60},
		{"FrameRate above the monitor's, the driver waits", true, 75, 60, true, 0},
	} {
		p := pace{waits: test.waits}
		p.refresh.Store(test.refresh)
		if got := p.clockRate(test.vsync, test.limit); got != test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// Whether the driver waits is judged by the time in SwapBuffers, and by several frames.
func TestPace_swapped(t *testing.T) {
	const ms = time.Millisecond
	for _, test := range []struct {
		name        string
		draw, swap  time.Duration
		waited, now bool
	}{
		{"fast drawing, no wait", 1 * ms, 1 * ms, false, false},
		{"slow drawing, no wait", 15 * ms, 1 * ms, false, false},
		{"very slow drawing, no wait", 100 * ms, 1 * ms, false, false},
		{"slow SwapBuffers, no wait", 1 * ms, 9 * ms, false, false},
		{"a driver that waits", 1 * ms, 15 * ms, false, true},
		{"a driver that waits, after slow drawing", 12 * ms, 4 * ms, true, true},
		{"a driver that waits, and drawing that is too slow", 30 * ms, 0, true, true},
		{"a driver that waits no longer", 1 * ms, 1 * ms, true, false},
	} {
		p := pace{waits: test.waited}
		for range enough - 1 {
			p.swapped(test.swap, test.draw+test.swap)
		}
		if p.waits != test.waited {
			t.Errorf("%s: judged by %d frames", test.name, enough-1)
		}
		for range 10 {
			p.swapped(test.swap, test.draw+test.swap)
		}
		if p.waits != test.now {
			t.Errorf("%s: waits is %v", test.name, p.waits)
		}
	}
}

// A slow frame now and then does not count.
func TestPace_swapped_noise(t *testing.T) {
	var p pace
	for i := range 100 {
		swap := time.Millisecond
		if i%3 == 0 {
			swap = 50 * time.Millisecond
		}
		if p.swapped(swap, swap); p.waits {
			t.Fatal("frame", i)
		}
	}
}
