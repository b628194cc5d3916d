package analysis

import (
	"bytes"
	"fmt"
	"io"
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

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
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
	if !slices.ContainsFunc(r.Verdict, func(f report.Finding) bool {
		return f.Rule == rule && strings.Contains(f.Text, function)
	}) {
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

func TestTrace_convoy(t *testing.T) {
	r := analyse(t, func() { convoy(20, 5, time.Millisecond) })
	p := waitsAt(r, mutex, ".convoy.")
	// The last of 20 waits for 19 others, and so on: 190 ms for the first round alone.
	if p.Times.N < 20 || time.Duration(p.Times.Sum) < 190*time.Millisecond || p.Most < 15 ||
		p.Contended < 90*time.Millisecond {
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

func TestTrace_blockedRead(t *testing.T) {
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
	p := waitsAt(r, network, ".TestTrace_blockedRead")
	if p.Longest.Length < 140*time.Millisecond {
		t.Errorf("%+v", p)
	}
	wantFinding(t, r, "slow wait", "TestTrace_blockedRead")
}

func TestTrace_leak(t *testing.T) {
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
		return b.Reason == channelSend && strings.Contains(b.Func, ".TestTrace_leak")
	})
	if i < 0 {
		t.Fatalf("not among %+v", r.Waiting.Blocked)
	}
	b := r.Waiting.Blocked[i]
	if b.N < 490 || b.New != b.N || b.Ended != 0 || b.Longest < 10*time.Millisecond ||
		len(b.Created) != 1 || b.Created[0].N != b.N || b.Created[0].Line != b.Line {
		t.Errorf("%+v", b)
	}
	wantFinding(t, r, "blocked", "TestTrace_leak")
}

// handOver has goroutines that hold a mutex for most of the time, on one P. After a millisecond a
// waiting one gets it directly.
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

// everything has all kinds of waits.
func everything() {
	convoy(5, 5, time.Millisecond)
	handOver(200 * time.Millisecond)
	r, w, err := os.Pipe()
	if err == nil {
		go func() { time.Sleep(5 * time.Millisecond); w.Write([]byte("x")) }()
		r.Read(make([]byte, 1))
		r.Close()
		w.Close()
	}
	in, out := make(chan int), make(chan int)
	go func() {
		for n := range in {
			out <- n
		}
	}()
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

func TestTrace_waits(t *testing.T) {
	r, x := read(t, record(t, everything))
	byReason := map[string]report.Sum{}
	for _, p := range r.Waiting.Places {
		sum := byReason[p.Reason]
		sum.Merge(report.Sum{N: p.Times.N, Time: time.Duration(p.Times.Sum)})
		byReason[p.Reason] = sum
		var woken uint64
		for _, w := range p.Wakers {
			woken += w.N
		}
		if p.Reason != systemCall && len(p.Wakers) < shownWakers && woken != p.Times.N+p.Earlier.N {
			t.Errorf("%s at %s: %d waits, %d ended by others", p.Reason, p.Func, p.Times.N, woken)
		}
	}
	for _, reason := range r.Waiting.Reasons {
		got := byReason[reason.Reason]
		if got.N != reason.Times.N || float64(got.Time) != reason.Times.Sum {
			t.Errorf("places for %s have %v, the reason %+v", reason.Reason, got, reason.Times)
		}
		if strings.HasPrefix(reason.Reason, unknown) && reason.Times.N > 0 {
			t.Errorf("%d waits for an unknown reason", reason.Times.N)
		}
	}
	var yields, handed uint64 // a hand-off of a mutex is not a preemption
	err := x.Scan(0, x.Duration, func(v *lanes.Interval) {
		stack := x.Stack(v.Stack)
		if v.Kind == lanes.Runnable && v.Name != 0 && v.End() < x.Duration && slices.ContainsFunc(stack,
			func(f report.Frame) bool { return f.Func == "runtime.goyield" }) {
			yields++
		}
	})
	for _, l := range r.Waiting.Latency.Places {
		if l.How == handOff {
			handed += l.Times.N
		}
	}
	if err != nil || handed != yields {
		t.Errorf("%d hand-offs, and the runtime yielded %d times, %v", handed, yields, err)
	}
}

// stackText returns the functions and lines of a stack.
func stackText(stack []report.Frame) string {
	var key []string
	for _, f := range stack {
		key = append(key, fmt.Sprintf("%s:%d", f.Func, f.Line))
	}
	return strings.Join(key, " ")
}

// profiles sums up the intervals as go tool trace -pprof does, by kind of profile and stack:
// without waits whose start or end is not in the trace, and without the latency of a goroutine's
// first run.
func profiles(t *testing.T, x *lanes.Index) map[string]map[string]report.Sum {
	t.Helper()
	sums := map[string]map[string]report.Sum{"net": {}, "sync": {}, "syscall": {}, "sched": {}}
	first := map[int64]time.Duration{} // run
	scan := func(f func(v *lanes.Interval)) {
		if err := x.Scan(0, x.Duration, f); err != nil {
			t.Fatal(err)
		}
	}
	scan(func(v *lanes.Interval) {
		if at, ran := first[v.Goroutine]; v.Kind == lanes.Running && (!ran || v.Start < at) {
			first[v.Goroutine] = v.Start
		}
	})
	scan(func(v *lanes.Interval) {
		kind, stack := "", v.Stack
		switch name := x.Name(v.Name); v.Kind {
		case lanes.Waiting:
			switch name {
			case network:
				kind = "net"
			case channelSend, channelRecv, mutex, rwMutex, "WaitGroup", "sync.Cond", "select", "sync",
				"close":
				kind = "sync"
			}
		case lanes.Syscall:
			kind = "syscall"
		case lanes.Runnable:
			if at, ran := first[v.Goroutine]; ran && at < v.Start {
				kind = "sched"
			}
			if name == "" {
				stack = v.ByStack
			}
		}
		if kind != "" && v.Start > 0 && v.End() < x.Duration {
			key := stackText(x.Stack(stack))
			sum := sums[kind][key]
			sum.Add(v.Length)
			sums[kind][key] = sum
		}
	})
	return sums
}

// All sums come from intervals, and these have the waits that go tool trace has, by stack.
func TestTrace_goToolTrace(t *testing.T) {
	if testing.Short() {
		t.Skip("builds go tool trace")
	}
	go func() { time.Sleep(time.Second) }()
	data := record(t, everything)
	file := filepath.Join(t.TempDir(), "trace")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	_, x := read(t, data)
	for kind, got := range profiles(t, x) {
		out, err := exec.Command("go", "tool", "trace", "-pprof="+kind, file).Output()
		if err != nil {
			t.Skip("needs go tool trace: ", err)
		}
		p, err := profile.ParseData(out)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]report.Sum{}
		for _, s := range p.Sample {
			var stack []report.Frame
			for _, l := range s.Location {
				f := report.Frame{Func: l.Line[0].Function.Name, Line: uint64(l.Line[0].Line)}
				stack = append(stack, f)
			}
			sum := want[stackText(stack)]
			sum.Merge(report.Sum{N: uint64(s.Value[0]), Time: time.Duration(s.Value[1])})
			want[stackText(stack)] = sum
		}
		if len(want) == 0 && kind != "net" {
			t.Errorf("no %s", kind)
		}
		for stack, sum := range want {
			runtimes := strings.HasPrefix(stack, "runtime.") || strings.Contains(stack, "runtime/trace.")
			if got[stack] != sum && !(kind == "sync" && runtimes) { // whose reasons have other names
				t.Errorf("%s: %v, go tool trace has %v at %s", kind, got[stack], sum, stack)
			}
			delete(got, stack)
		}
		if len(got) > 0 {
			t.Errorf("%s: go tool trace has no %v", kind, got)
		}
	}
}

// Each known name is a function of the standard library of this version of Go.
func TestMeanings(t *testing.T) {
	root := goroot(t)
	for function := range meanings {
		if function == "sync.(*Mutex).lockSlow" { // until Go 1.23
			continue
		}
		slash := max(0, strings.LastIndex(function, "/"))
		dot := slash + strings.Index(function[slash:], ".")
		declared := "func " + function[dot+1:] + "("
		if receiver, method, ok := strings.Cut(function[dot+1:], ")."); ok {
			declared = receiver[1:] + ") " + method + "(" // func (m *Mutex) Lock(
		}
		files, _ := filepath.Glob(filepath.Join(root, "src", function[:dot], "*.go"))
		if len(files) == 0 {
			t.Skip("SKIPPED, NOTHING TESTED: this Go distribution has no source")
		}
		if !slices.ContainsFunc(files, func(file string) bool {
			text, err := os.ReadFile(file)
			return err == nil && bytes.Contains(text, []byte(declared))
		}) {
			t.Errorf("%s is not in %s", function, runtime.Version())
		}
	}
}
