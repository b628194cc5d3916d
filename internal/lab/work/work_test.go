package work

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	MaybeRun()
	os.Exit(m.Run())
}

func TestTheSieveFindsThePrimes(t *testing.T) {
	for limit, want := range map[int]int{1: 0, 2: 1, 10: 4, 100: 25, 1000: 168} {
		if got := Sieve(limit); got != want {
			t.Errorf("%d primes up to %d, want %d", got, limit, want)
		}
	}
}

func TestTheSievesGoroutinesEndWithIt(t *testing.T) {
	before := runtime.NumGoroutine()
	for range 20 {
		Sieve(200)
	}
	for range 10_000 { // the last of each may be about to return
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Errorf("there were %d goroutines before and %d after", before, runtime.NumGoroutine())
}

// What the sieve sends is counted by sending it: position is that of the first prime that divides.
func TestMessagesAreThoseThatTheSieveSends(t *testing.T) {
	for _, limit := range []int{2, 3, 10, 500} {
		var sent atomic.Int64
		var primes []int
		for n := 2; n <= limit; n++ {
			divided := false
			for _, p := range primes {
				sent.Add(1) // to the goroutine of p
				if divided = n%p == 0; divided {
					break
				}
			}
			if !divided {
				sent.Add(1) // to the one who waits for the next prime
				primes = append(primes, n)
			}
		}
		if got := Messages(limit); got != int(sent.Load()) {
			t.Errorf("up to %d there are %d messages, want %d", limit, got, sent.Load())
		}
	}
}

// The first hundred thousand primes need more messages than the sum of the primes' positions, and the page says so.
func TestHowManyMessagesTheArticlesSieveTakes(t *testing.T) {
	if least := int64(100_000) * 100_001 / 2; least <= 5_000_000_000 {
		t.Error(least)
	}
	if got := Messages(100_000); got < 40_000_000 || got > 50_000_000 {
		t.Errorf("%d messages up to 100,000", got)
	}
}

func TestPingPongEnds(t *testing.T) {
	for _, ping := range []bool{false, true} {
		for _, pong := range []bool{false, true} {
			PingPong(0, ping, pong)
			PingPong(100, ping, pong)
		}
	}
}

func TestOnlyWhatIsReturnedAsAPointerIsAllocated(t *testing.T) {
	for name, want := range map[string]float64{"value": 0, "returned": 1, "passed": 0, "copied": 0, "pointed": 1} {
		work := works[name]
		if got := testing.AllocsPerRun(100, func() { work(50) }) / 50; got != want {
			t.Errorf("%s: %v allocations, want %v", name, got, want)
		}
	}
}

func TestSizesAreThoseOfTheAllocatorsClasses(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("the sizes are those of processors with words of 64 bits")
	}
	done, err := Run(Job{Name: "sizes"})
	if err != nil {
		t.Fatal(err)
	}
	s := done.Sizes
	if s.Closure != 24 || s.InPlace != 0 || s.HeapStep != 8192 {
		t.Errorf("%+v, want 24 B for a closure, 0 in place, and steps of 8192 B", s)
	}
	for name, size := range map[string]float64{"channel": s.Channel, "sudog": s.Sudog} {
		if size < 96 || size > 160 || size != float64(int(size)) {
			t.Errorf("a %s of %v B", name, size)
		}
	}
	if got := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for range b.N {
			channel = make(chan struct{})
		}
	}).AllocedBytesPerOp(); float64(got) != s.Channel {
		t.Errorf("a channel takes %v B in the profile and %d in a benchmark", s.Channel, got)
	}
}

func TestAJobIsTraced(t *testing.T) {
	for name := range works {
		file := filepath.Join(t.TempDir(), "trace")
		done, err := Run(Job{Name: name, N: 50, Procs: 2, Trace: file, Late: len(name)%2 == 0})
		if err != nil {
			t.Fatal(err)
		}
		if done.Took <= 0 {
			t.Errorf("%s took %v", name, done.Took)
		}
		if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "go 1.") {
			t.Errorf("%s: no trace, %v", name, err)
		}
	}
}

func TestAJobThatFailsSaysWhy(t *testing.T) {
	for want, j := range map[string]Job{
		`there is no job "nonsense"`: {Name: "nonsense"},
		"no such file":               {Name: "value", Trace: filepath.Join(t.TempDir(), "missing", "trace")},
	} {
		if runtime.GOOS == "windows" && want == "no such file" {
			continue // in other words there
		}
		if _, err := Run(j); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", j, err, want)
		}
	}
}
