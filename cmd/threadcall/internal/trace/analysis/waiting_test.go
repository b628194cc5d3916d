package analysis

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/report/trace"
)

// waitsAt returns the waits for a reason in functions whose name contains a text.
func waitsAt(r *trace.Report, reason, function string) trace.WaitPlace {
	for _, p := range r.Waiting.Places {
		if p.Reason == reason && strings.Contains(p.Func, function) {
			return p
		}
	}
	return trace.WaitPlace{}
}

// wantFinding fails the test if no finding of a rule has these texts, in this order.
func wantFinding(t *testing.T, r *trace.Report, rule string, texts ...string) {
	t.Helper()
	if !slices.ContainsFunc(r.Verdict, func(f trace.Finding) bool {
		rest, ok := f.Text, f.Rule == rule
		for i := 0; i < len(texts) && ok; i++ {
			_, rest, ok = strings.Cut(rest, texts[i])
		}
		return ok
	}) {
		t.Errorf("no %s at %q in the verdict: %+v", rule, texts, r.Verdict)
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
	p := waitsAt(r, trace.Mutex, ".convoy.")
	// The last of 20 waits for 19 others, and so on: 190 ms for the first round alone.
	if p.Times.N < 20 || time.Duration(p.Times.Sum) < 190*time.Millisecond ||
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
	i := slices.IndexFunc(r.Waiting.Blocked, func(b trace.Blocked) bool {
		return b.Reason == trace.ChannelSend && strings.Contains(b.Func, ".TestTrace_leak")
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

// everything has all kinds of waits.
func everything() {
	convoy(5, 5, time.Millisecond)
	for range 5 { // on a busy machine, the writer may come first
		if r, w, err := os.Pipe(); err == nil {
			go func() { time.Sleep(5 * time.Millisecond); w.Write([]byte("x")) }()
			r.Read(make([]byte, 1))
			r.Close()
			w.Close()
		}
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
	r := analyse(t, everything)
	byReason := map[string]trace.Sum{}
	for _, p := range r.Waiting.Places {
		sum := byReason[p.Reason]
		sum.Merge(trace.Sum{N: p.Times.N, Time: time.Duration(p.Times.Sum)})
		byReason[p.Reason] = sum
		var woken uint64
		for _, w := range p.Wakers {
			woken += w.N
		}
		if p.Reason != trace.SystemCall && len(p.Wakers) < shown && woken != p.Times.N {
			t.Errorf("%s at %s: %d waits, %d ended by others", p.Reason, p.Func, p.Times.N, woken)
		}
	}
	if unknown := byReason[trace.Unknown]; unknown.N > 0 {
		t.Errorf("%d waits for an unknown reason", unknown.N)
	}
	if byReason[trace.SystemCall].N < 100 || byReason[trace.Network].N < 1 ||
		byReason[trace.Sleep].N < 25 {
		t.Errorf("%v; want 100 system calls, a wait for the network and 25 times sleep", byReason)
	}
}

// Each known name is a function of the standard library of this version of Go.
func TestMeanings(t *testing.T) {
	root := goroot(t)
	known := maps.Clone(meanings)
	maps.Copy(known, libraries)
	delete(known, "sync.(*Mutex).lockSlow") // until Go 1.23
	constants, err := os.ReadFile("../../../report/trace/report.go")
	if err != nil || len(meanings) < 20 || len(libraries) < 5 || len(reasons) < 9 ||
		len(finalizers) < 3 {
		t.Fatal(err, meanings, libraries, reasons, finalizers)
	}
	for _, section := range []map[string]string{meanings, libraries, reasons, finalizers} {
		for name, meaning := range section {
			if !bytes.Contains(constants, []byte(fmt.Sprintf("= %q", meaning))) {
				t.Errorf("%s: %q is not a constant of package report/trace", name, meaning)
			}
		}
	}
	for function := range known {
		if strings.HasPrefix(function, "golang.org/") {
			continue
		}
		pkg := symbol.Package(function)
		name := function[len(pkg)+1:]
		declared := "func " + name + "("
		if receiver, method, ok := strings.Cut(name, ")."); ok {
			declared = receiver[1:] + ") " + method + "(" // func (m *Mutex) Lock(
		}
		files, _ := filepath.Glob(filepath.Join(root, "src", pkg, "*.go"))
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
