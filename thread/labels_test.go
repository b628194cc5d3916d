package thread_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"io"
	"iter"
	"os"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

func labelled(work string) context.Context {
	return pprof.WithLabels(context.Background(), pprof.Labels("work", work))
}

var oneAtATime sync.Mutex

// labels returns the profiler labels of the calling goroutine, as the goroutine profile has them: "" or {"work":"a"}.
func labels() string {
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	return labelsOfCaller()
}

//go:noinline
func labelsOfCaller() string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return err.Error()
	}
	for _, record := range strings.Split(profile.String(), "\n\n") {
		if strings.Contains(record, "thread_test.labelsOfCaller") {
			_, rest, _ := strings.Cut(record, "# labels: ")
			line, _, _ := strings.Cut(rest, "\n")
			return line
		}
	}
	return "the profile does not have the goroutine"
}

const (
	ofA  = `{"work":"a"}`
	ofB  = `{"work":"b"}`
	none = ""
)

// seen is a list of labels, each with where it was seen.
type seen []string

func (s *seen) at(where string) { *s = append(*s, where+" "+labels()) }

func (s seen) check(t *testing.T, name string, want ...string) {
	t.Helper()
	if !slices.Equal(s, want) {
		t.Errorf("%s: labels are %q, want %q", name, s, want)
	}
}

func TestCallContext_labels(t *testing.T) {
	th, p := start(t), startPool(t, 1)
	for name, on := range map[string]interface {
		thread.Caller
		Call(f func()) bool
		Go(f func()) bool
	}{"thread": th, "pool": p} {
		call := func(ctx context.Context, f func()) {
			t.Helper()
			if err := on.CallContext(ctx, f); err != nil {
				t.Error(err)
			}
		}
		after := func(what string, want ...string) {
			t.Helper()
			s := seen{}
			on.Call(func() { s.at("after") })
			s.check(t, name+" after "+what, "after "+none)
		}
		var s seen
		call(labelled("a"), func() { s.at("a") })
		call(context.Background(), func() { s.at("background") })
		call(t.Context(), func() { s.at("context") })
		s.check(t, name, "a "+ofA, "background ", "context ")
		after("a call")

		s = nil
		v, err := thread.EvalContext(labelled("a"), on, func() string { return labels() })
		if v != ofA || err != nil {
			t.Errorf("%s: EvalContext runs under %q, %v", name, v, err)
		}
		after("EvalContext")

		s = nil // in place
		call(labelled("a"), func() {
			call(labelled("b"), func() {
				s.at("b")
				call(labelled("a"), func() { s.at("a") })
				on.Call(func() { s.at("b") })
				s.at("b")
			})
			call(context.Background(), func() { s.at("a") })
			s.at("a")
		})
		s.check(t, name+" in place", "b "+ofB, "a "+ofA, "b "+ofB, "b "+ofB, "a "+ofA, "a "+ofA)
		after("calls in place")

		for what, f := range map[string]func(){"a panic": func() { panic("x") }, "Goexit": runtime.Goexit} {
			fails := func(ctx context.Context) {
				defer func() { _ = recover() }()
				call(ctx, f)
			}
			exits(t, func() { fails(labelled("a")) })
			after(what)
			if what == "Goexit" {
				continue // which ends the outer function as well
			}
			s = nil
			call(labelled("a"), func() { fails(labelled("b")); s.at("a") })
			s.check(t, name+" after "+what+" in place", "a "+ofA)
			after(what + " in place")
		}

		s = nil // what the thread has posted to itself is not the work of the function that it runs before
		call(labelled("a"), func() {
			on.Go(func() { s.at("posted") })
			call(labelled("b"), func() { s.at("b") })
			s.at("a")
		})
		on.Call(nop)
		if name == "thread" {
			s.check(t, name, "posted ", "b "+ofB, "a "+ofA)
		}
		after("a function posted by the thread")
	}
}

// In a cycle, a thread that waits in a function with labels runs another with those of its own call.
func TestCallContext_labelsInCycle(t *testing.T) {
	a, b := start(t), start(t)
	var s seen
	call := func(th *thread.Thread, ctx context.Context, f func()) {
		if err := th.CallContext(ctx, f); err != nil {
			t.Error(err)
		}
	}
	ends(t, func() {
		call(a, labelled("a"), func() {
			call(b, labelled("b"), func() {
				s.at("b")
				a.Call(func() { s.at("none") })
				call(a, labelled("b"), func() { s.at("b") })
				s.at("b")
			})
			s.at("a")
		})
		for _, th := range []*thread.Thread{a, b} {
			th.Call(func() { s.at("none") })
		}
	})
	s.check(t, "a cycle", "b "+ofB, "none ", "b "+ofB, "b "+ofB, "a "+ofA, "none ", "none ")
}

func TestCallContext_labelsOfServing(t *testing.T) {
	var s seen
	ends(t, func() {
		h := thread.Adopt()
		defer h.Terminate()
		serve := func(ctx context.Context, f func()) {
			ctx, stop := context.WithCancel(ctx)
			h.Go(func() {
				f()
				h.Go(func() { s.at("after"); stop() })
			})
			_ = h.ServeContext(ctx)
		}
		inside := func() {
			_ = h.CallContext(labelled("a"), func() {
				h.Go(func() { s.at("Serve") })
				h.Serve()
				serve(labelled("b"), func() { s.at("b") })
				serve(context.Background(), func() { s.at("none") })
				s.at("a")
			})
		}
		serve(context.Background(), inside)
		s.check(t, "served without labels", "Serve ", "b "+ofB, "after "+ofB, "none ", "after ", "a "+ofA, "after ")
		s = nil
		pprof.Do(context.Background(), pprof.Labels("work", "b"), func(ctx context.Context) {
			serve(ctx, inside)
			s.at("host")
		})
		s.check(t, "served with labels", "Serve "+ofB, "b "+ofB, "after "+ofB, "none ", "after ", "a "+ofA, "after "+ofB, "host "+ofB)
	})
}

// A thread does not begin with the labels of what made it, and a call does not change those of its caller.
func TestNew_labels(t *testing.T) {
	var s seen
	pprof.Do(context.Background(), pprof.Labels("work", "b"), func(context.Context) {
		th, p := start(t), startPool(t, 1)
		th.Call(func() { s.at("thread") })
		p.Call(func() { s.at("pool") })
		_ = th.CallContext(labelled("a"), nop)
		s.at("caller")
	})
	s.check(t, "New", "thread ", "pool ", "caller "+ofB)
}

// Labels are a goroutine's. A coroutine that yields within a labelled call, and is resumed by another function when the
// records of both calls are in use elsewhere, changes those of no other function.
func TestCallContext_labelsInCoroutine(t *testing.T) {
	needsLocks(t)
	var s seen
	for name, run := range map[string]func(f func(*thread.Thread)){
		"thread":  func(f func(*thread.Thread)) { f(start(t)) },
		"adopted": func(f func(*thread.Thread)) { adopted(t, f) },
	} {
		s = nil
		run(func(th *thread.Thread) {
			call := func(work string, f func()) {
				ctx := context.Background()
				if work != "" {
					ctx = labelled(work)
				}
				if th.On() { // as the thread serves it, and not in place
					th.GoContext(ctx, f)
					th.Serve()
				} else if err := th.CallContext(ctx, f); err != nil {
					t.Error(err)
				}
			}
			nested := func(work string) { _ = th.CallContext(labelled(work), func() { s.at(work) }) }
			serves := func() { th.Go(func() { s.at("served") }); th.Serve() }
			var next func() (int, bool)
			call("a", func() {
				next, _ = iter.Pull(func(yield func(int) bool) {
					_ = th.CallContext(labelled("b"), func() {
						nested("a")
						yield(1)
						s.at("b")
						serves()
						s.at("b")
					})
					s.at("a")
					yield(2)
					serves()
				})
				next()
				s.at("a")
				nested("b")
				s.at("a")
				serves()
				s.at("a")
			})
			const others = 100
			others1, gate := start(t), make(chan bool)
			for range others { // which take the records that are free
				others1.GoContext(labelled("other"), func() { <-gate })
			}
			for range 2 {
				call("", func() {
					s.at("none")
					next()
					s.at("none")
					serves()
					nested("a")
					s.at("none")
				})
				call("b", func() { s.at("b") })
			}
			call("", func() { next(); s.at("none") })
			close(gate)
		})
		rest := []string{"none ", "served ", "a " + ofA, "none ", "b " + ofB}
		s.check(t, name, slices.Concat(
			[]string{"a " + ofA, "a " + ofA, "b " + ofB, "a " + ofA, "served ", "a " + ofA},
			[]string{"none ", "b " + ofB, "served ", "b " + ofB, "a " + ofA}, rest,
			[]string{"none ", "served "}, rest, []string{"none "})...)
	}
}

// A call that has labels runs once, or says that it does not, as any other.
func TestCallContext_labelsGivenUp(t *testing.T) {
	th := start(t)
	g := occupy(t, th.Go)
	ctx, cancel := context.WithCancel(labelled("a"))
	given := make(chan error)
	go func() { given <- th.CallContext(ctx, func() { t.Error("it runs") }) }()
	cancel()
	if err := testutil.Arrives(t, given); err != context.Canceled {
		t.Error(err)
	}
	g.Open()
	var s seen
	th.Call(func() { s.at("after") })
	s.check(t, "given up", "after ")
}

//go:noinline
func burnsWithLabels(until time.Time) { burn(until) }

//go:noinline
func burnsWithoutLabels(until time.Time) { burn(until) }

func burn(until time.Time) {
	for x := 1; time.Now().Before(until); x++ {
		for range 1000 {
			x *= 3
		}
	}
}

// The samples of a CPU profile have the labels of the call that the thread runs, and no others.
func TestCallContext_profile(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOARCH == "wasm" || os.Getenv(testutil.Emulator) != "" {
		t.Skip("no profile, or a coarse one")
	}
	th := start(t)
	with, without := map[string]int{}, map[string]int{}
	for began := time.Now(); with["a"] == 0 || with["b"] == 0 || without[""] == 0; {
		if time.Since(began) > timeLimit {
			t.Fatalf("no samples of all functions, but %v and %v", with, without)
		}
		var profile bytes.Buffer
		if err := pprof.StartCPUProfile(&profile); err != nil {
			t.Skip(err)
		}
		for _, work := range []string{"a", "b"} {
			_ = th.CallContext(labelled(work), func() { burnsWithLabels(time.Now().Add(30 * time.Millisecond)) })
			th.Call(func() { burnsWithoutLabels(time.Now().Add(30 * time.Millisecond)) })
		}
		pprof.StopCPUProfile()
		for _, s := range samplesOf(t, profile.Bytes()) {
			switch {
			case slices.Contains(s.stack, "github.com/threadcall/threadcall/thread_test.burnsWithLabels"):
				with[s.labels["work"]]++
			case slices.Contains(s.stack, "github.com/threadcall/threadcall/thread_test.burnsWithoutLabels"):
				without[s.labels["work"]]++
			}
		}
	}
	if with[""] > 0 || without["a"]+without["b"] > 0 {
		t.Errorf("samples by label: %v of functions with labels, %v of those without", with, without)
	}
}

type sample struct {
	stack  []string
	labels map[string]string
}

// samplesOf reads a profile in the format of runtime/pprof, which is a compressed protocol buffer.
func samplesOf(t *testing.T, profile []byte) (samples []sample) {
	t.Helper()
	z, err := gzip.NewReader(bytes.NewReader(profile))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	nameOf, functionsAt := map[uint64]uint64{}, map[uint64][]uint64{}
	for f := range fields(raw) {
		switch f.number {
		case 4: // a location
			var id uint64
			for l := range fields(f.bytes) {
				switch l.number {
				case 1:
					id = l.value
				case 4: // a line
					for n := range fields(l.bytes) {
						if n.number == 1 {
							functionsAt[id] = append(functionsAt[id], n.value)
						}
					}
				}
			}
		case 5: // a function
			var id, name uint64
			for n := range fields(f.bytes) {
				switch n.number {
				case 1:
					id = n.value
				case 2:
					name = n.value
				}
			}
			nameOf[id] = name
		case 6:
			texts = append(texts, string(f.bytes))
		}
	}
	for f := range fields(raw) {
		if f.number != 2 { // a sample
			continue
		}
		s := sample{labels: map[string]string{}}
		for n := range fields(f.bytes) {
			switch n.number {
			case 1: // packed
				for b := n.bytes; len(b) > 0; {
					at, size := binary.Uvarint(b)
					b = b[size:]
					for _, id := range functionsAt[at] {
						s.stack = append(s.stack, texts[nameOf[id]])
					}
				}
			case 3: // a label
				var key, value uint64
				for l := range fields(n.bytes) {
					switch l.number {
					case 1:
						key = l.value
					case 2:
						value = l.value
					}
				}
				s.labels[texts[key]] = texts[value]
			}
		}
		samples = append(samples, s)
	}
	return samples
}

type field struct {
	number, value uint64
	bytes         []byte
}

// fields returns the fields of a protocol buffer that has numbers and bytes only.
func fields(b []byte) func(yield func(field) bool) {
	return func(yield func(field) bool) {
		for len(b) > 0 {
			tag, n := binary.Uvarint(b)
			b = b[n:]
			value, n := binary.Uvarint(b)
			b = b[n:]
			f := field{number: tag >> 3, value: value}
			if tag&7 == 2 {
				f.bytes, b = b[:value], b[value:]
			}
			if !yield(f) {
				return
			}
		}
	}
}
