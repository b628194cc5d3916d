package read

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/pprof/profile"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// waitsAt returns the waits for a reason in functions whose name contains a text.
func waitsAt(r *report.Report, reason, function string) report.WaitPlace {
	for _, p := range r.Waiting.Places {
		if p.Reason == reason && strings.Contains(p.Func, function) {
			return p
		}
	}
	return report.WaitPlace{}
}

// wantFinding fails the test if no finding of a rule names a function.
func wantFinding(t *testing.T, r *report.Report, rule, function string) {
	t.Helper()
	if !slices.ContainsFunc(r.Verdict, func(f report.Finding) bool { return f.Rule == rule && strings.Contains(f.Text, function) }) {
		t.Errorf("no %s at %s in the verdict: %+v", rule, function, r.Verdict)
	}
}

// A convoy has goroutines that lock one mutex again and again, each for the same time.
func convoy(goroutines, rounds int, held time.Duration) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for range rounds {
				mu.Lock()
				time.Sleep(held)
				mu.Unlock()
			}
		})
	}
	all.Wait()
}

func TestAConvoyHasItsPlaceAndItsHolder(t *testing.T) {
	r := analyse(t, func() { convoy(20, 5, time.Millisecond) })
	p := waitsAt(r, mutex, ".convoy.")
	// The last of 20 waits for 19 others, and so on: 190 ms for the first round alone.
	if p.Times.N < 20 || time.Duration(p.Times.Sum) < 190*time.Millisecond || p.Most < 15 || p.Contended < 90*time.Millisecond {
		t.Errorf("waits %+v", p)
	}
	if len(p.Wakers) != 1 || p.Wakers[0].N != p.Times.N || p.Wakers[0].Line != p.Line+2 {
		t.Errorf("waits at line %d were ended at %+v, want the line of Unlock", p.Line, p.Wakers)
	}
	if p.Longest.Length < 15*time.Millisecond || p.Longest.Goroutine == 0 || len(p.Stack) == 0 {
		t.Errorf("the longest: %+v", p.Longest)
	}
	wantFinding(t, r, "contention", "convoy")
}

func TestAReadThatBlocksHasItsPlace(t *testing.T) {
	r := analyse(t, func() {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Skip(err)
		}
		defer l.Close()
		go func() {
			if c, err := l.Accept(); err == nil {
				time.Sleep(500 * time.Millisecond) // of which the reader may be late for some
				c.Write([]byte("x"))
				c.Close()
			}
		}()
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Skip(err)
		}
		io.ReadFull(c, make([]byte, 1))
		c.Close()
	})
	p := waitsAt(r, network, ".TestAReadThatBlocks")
	if p.Longest.Length < 140*time.Millisecond {
		t.Errorf("%+v", p)
	}
	wantFinding(t, r, "slow wait", "TestAReadThatBlocks")
}

func TestGoroutinesThatStayBlockedAreALeak(t *testing.T) {
	never := make(chan int)
	r := analyse(t, func() {
		var begun sync.WaitGroup
		begun.Add(500)
		for range 500 {
			go func() { begun.Done(); never <- 1 }()
		}
		begun.Wait()
		time.Sleep(20 * time.Millisecond)
	})
	for range 500 {
		<-never
	}
	i := slices.IndexFunc(r.Waiting.Blocked, func(b report.Blocked) bool {
		return b.Reason == channelSend && strings.Contains(b.Func, ".TestGoroutinesThatStay")
	})
	if i < 0 {
		t.Fatalf("not among %+v", r.Waiting.Blocked)
	}
	b := r.Waiting.Blocked[i]
	if b.N < 490 || b.New != b.N || b.Ended != 0 || b.Longest < 10*time.Millisecond ||
		len(b.Created) != 1 || b.Created[0].N != b.N || b.Created[0].Line != b.Line {
		t.Errorf("%+v", b)
	}
	wantFinding(t, r, "blocked", "TestGoroutinesThatStay")
}

// handOver has goroutines that hold a mutex for most of the time, on one P. After a millisecond a waiting one gets it
// directly.
func handOver(d time.Duration) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for end := time.Now().Add(d); time.Now().Before(end); {
				mu.Lock()
				for start := time.Now(); time.Since(start) < 300*time.Microsecond; {
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
}

// withSamples also returns what the totals sum up, by kind and stack.
func withSamples(t *testing.T, data []byte) (*report.Report, map[string]map[string]report.Sum) {
	t.Helper()
	sums := map[string]map[string]report.Sum{}
	r, err := Trace(bytes.NewReader(data), Options{total: func(kind string, stack []report.Frame, sum report.Sum) {
		var key []string
		for _, f := range stack {
			key = append(key, fmt.Sprintf("%s:%d", f.Func, f.Line))
		}
		if sums[kind] == nil {
			sums[kind] = map[string]report.Sum{}
		}
		sums[kind][strings.Join(key, " ")] = sum
	}})
	if err != nil {
		t.Fatal(err)
	}
	return r, sums
}

func TestAHandOffOfAMutexIsNoPreemption(t *testing.T) {
	var yields, handed uint64
	r, samples := withSamples(t, record(t, func() { handOver(200 * time.Millisecond) }))
	for stack, sum := range samples["sched"] {
		if strings.Contains(stack, "runtime.goyield:") {
			yields += sum.N
		}
	}
	for _, l := range r.Waiting.Latency.Places {
		if l.How == handOff {
			handed += l.Times.N
		}
	}
	if yields == 0 {
		t.Skip("no hand-offs: this machine is too busy")
	}
	if handed != yields {
		t.Errorf("%d hand-offs, and the runtime yielded %d times", handed, yields)
	}
}

func TestAnAssistIsWorkAndWaiting(t *testing.T) {
	type node struct{ left, right *node }
	var tree func(depth int) *node
	tree = func(depth int) *node {
		if depth == 0 {
			return &node{}
		}
		return &node{tree(depth - 1), tree(depth - 1)}
	}
	r := analyse(t, func() {
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for range 4 {
					tree(14)
				}
			})
		}
		all.Wait()
	})
	a := r.GC.Assisted
	if r.GC.Assist.N == 0 {
		t.Skip("no goroutine had to assist")
	}
	if sum := a.Worked + a.Waited + a.Ready; sum != time.Duration(r.GC.Assist.Sum) || a.Worked <= 0 || a.Worked > r.Waiting.Running {
		t.Errorf("assists took %v; %+v", time.Duration(r.GC.Assist.Sum), a)
	}
	var n uint64
	for _, p := range a.Places {
		n += p.N
	}
	if n != r.GC.Assist.N {
		t.Errorf("places have %d of %d assists", n, r.GC.Assist.N)
	}
}

// All kinds of waits, and all goroutines that begin before the trace and end after it.
func everything() {
	convoy(5, 5, time.Millisecond)
	handOver(20 * time.Millisecond)
	r, w, err := os.Pipe()
	if err == nil {
		go func() { time.Sleep(5 * time.Millisecond); w.Write([]byte("x")) }()
		r.Read(make([]byte, 1))
		r.Close()
		w.Close()
	}
	in, out := make(chan int), make(chan int)
	go freeEcho(in, out)
	for n := range 100 {
		in <- n
		select {
		case <-out:
		case <-time.After(time.Second):
		}
	}
	close(in)
	for range 100 {
		os.Stat("/")
		runtime.Gosched()
	}
	runtime.GC()
}

func TestTotalsAreThoseOfGoToolTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds go tool trace")
	}
	go func() { time.Sleep(time.Second) }()
	data := record(t, everything)
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r, samples := withSamples(t, data)
	for i, kind := range report.TotalKinds {
		out, err := exec.Command("go", "tool", "trace", "-pprof="+kind, file).Output()
		if err != nil {
			t.Skip("needs go tool trace: ", err)
		}
		p, err := profile.ParseData(out)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]report.Sum{}
		var n, sum int64
		for _, s := range p.Sample {
			var stack []string
			for _, l := range s.Location {
				stack = append(stack, fmt.Sprintf("%s:%d", l.Line[0].Function.Name, l.Line[0].Line))
			}
			key := strings.Join(stack, " ")
			want[key] = report.Sum{N: want[key].N + uint64(s.Value[0]), Time: want[key].Time + time.Duration(s.Value[1])}
			n, sum = n+s.Value[0], sum+s.Value[1]
		}
		got := r.Waiting.Totals[i]
		if got.Kind != kind || got.N != uint64(n) || got.Time != time.Duration(sum) || n == 0 && kind != "net" {
			t.Errorf("%s: %d waits of %v, go tool trace has %d of %v", kind, got.N, got.Time, n, time.Duration(sum))
		}
		if !maps.Equal(samples[kind], want) {
			t.Errorf("%s: %v, go tool trace has %v", kind, samples[kind], want)
		}
	}
}

func TestWaitsSumUp(t *testing.T) {
	r := analyse(t, everything)
	byReason := map[string]report.Sum{}
	for _, p := range r.Waiting.Places {
		sum := byReason[p.Reason]
		byReason[p.Reason] = report.Sum{N: sum.N + p.Times.N, Time: sum.Time + time.Duration(p.Times.Sum)}
		var woken uint64
		for _, w := range p.Wakers {
			woken += w.N
		}
		if p.Reason != systemCall && len(p.Wakers) < shownWakers && woken != p.Times.N+p.Earlier.N {
			t.Errorf("%s at %s: %d waits, %d ended by others", p.Reason, p.Func, p.Times.N, woken)
		}
	}
	for _, reason := range r.Waiting.Reasons {
		if got := byReason[reason.Reason]; got.N != reason.Times.N || float64(got.Time) != reason.Times.Sum {
			t.Errorf("places for %s have %v, the reason %d of %v", reason.Reason, got, reason.Times.N, reason.Times.Sum)
		}
		if strings.HasPrefix(reason.Reason, unknown) && reason.Times.N > 0 {
			t.Errorf("%d waits for an unknown reason", reason.Times.N)
		}
	}
}

// Each known name is a function of the standard library of this version of Go.
func TestKnownNamesAreThoseOfTheRuntime(t *testing.T) {
	root := goroot(t)
	var minor int
	if _, err := fmt.Sscanf(runtime.Version(), "go1.%d", &minor); err != nil {
		t.Skip("SKIPPED, NOTHING TESTED: a Go without version: ", runtime.Version())
	}
	tested := 0
	for _, k := range knownNames {
		if k.from > minor || k.to != 0 && k.to < minor {
			continue
		}
		dot := strings.Index(k.function, ".")
		if slash := strings.LastIndex(k.function, "/"); slash >= 0 {
			dot = slash + strings.Index(k.function[slash:], ".")
		}
		declared := "func " + k.function[dot+1:] + "("
		if receiver, method, ok := strings.Cut(k.function[dot+1:], ")."); ok {
			declared = receiver[1:] + ") " + method + "(" // func (m *Mutex) Lock(
		}
		files, _ := filepath.Glob(filepath.Join(root, "src", k.function[:dot], "*.go"))
		if len(files) == 0 {
			t.Skip("SKIPPED, NOTHING TESTED: this Go distribution has no source")
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && bytes.Contains(text, []byte(declared))
		}) {
			t.Errorf("%s is not in Go 1.%d", k.function, minor)
		}
		tested++
	}
	if tested < 20 {
		t.Errorf("tested %d names", tested)
	}
}
