package read

import (
	"bytes"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/trace"
	"strings"
	"testing"
	"time"
)

// The test binary records a trace into the file that this names until it is killed.
const recordForever = "THREADCALL_TEST_RECORD_FOREVER"

func recordUntilKilled(file string) {
	f, err := os.Create(file)
	if err != nil {
		panic(err)
	}
	if err := trace.Start(f); err != nil {
		panic(err)
	}
	for {
		time.Sleep(time.Millisecond)
	}
}

func TestATraceOfAKilledProgramIsCutOff(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	reported := 0
	for range 12 {
		file := filepath.Join(t.TempDir(), "trace")
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), recordForever+"="+file, "GODEBUG=traceadvanceperiod=20000000")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for { // until there is a generation
			if at, err := os.Stat(file); err == nil && at.Size() > 1000 {
				break
			}
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rnd.IntN(int(100 * time.Millisecond))))
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Trace(bytes.NewReader(data), Options{})
		if err != nil {
			continue // within the first generation
		}
		reported++
		if !r.Trace.Truncated || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "cut off") {
			t.Errorf("%d bytes: truncated %v, warnings %q", len(data), r.Trace.Truncated, r.Warnings)
		}
	}
	if reported == 0 {
		t.Skip("no trace had a generation")
	}
}

func TestAWindowOfAFlightRecorderIsWhole(t *testing.T) {
	for range 3 {
		var window bytes.Buffer
		recorder := trace.NewFlightRecorder(trace.FlightRecorderConfig{MinAge: time.Second})
		if err := recorder.Start(); err != nil {
			t.Skip("this process records a trace already: ", err)
		}
		for range 100 {
			runtime.Gosched()
		}
		_, err := recorder.WriteTo(&window)
		recorder.Stop()
		if err != nil {
			t.Fatal(err)
		}
		read(t, window.Bytes())
	}
}

func TestAShortTraceIsWhole(t *testing.T) {
	for range 20 {
		analyse(t, func() {})
	}
}
