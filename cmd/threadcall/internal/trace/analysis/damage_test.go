package analysis

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	rtrace "runtime/trace"
	"strings"
	"testing"
	"testing/iotest"
	"time"
)

// recordItself writes a trace of several generations to the standard output.
func recordItself() {
	if err := rtrace.Start(os.Stdout); err != nil {
		panic(err)
	}
	for start, n := time.Now(), 0; time.Since(start) < 300*time.Millisecond; n++ {
		if n%50 == 0 {
			time.Sleep(time.Millisecond) // for the goroutine that ends generations, where there is one P
		}
		done := make(chan []byte)
		go func() { done <- make([]byte, 1<<16) }()
		<-done
	}
	rtrace.Stop()
}

func TestTrace_damaged(t *testing.T) {
	data := recordedBy(t, "generations")
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, 0))
	for range 60 {
		broken := bytes.Clone(data)
		for range 1 + rnd.IntN(4) {
			broken[rnd.IntN(len(broken))] ^= byte(1 + rnd.IntN(255))
		}
		r, err := Trace(bytes.NewReader(broken), "")
		switch {
		case err != nil && !errors.Is(err, ErrNoTrace):
			t.Errorf("%v", err)
		case err != nil && (len(err.Error()) > 500 || strings.Contains(err.Error(), "\n")):
			t.Errorf("a long error: %v", err)
		case err == nil && r.Trace.Truncated != (len(r.Warnings) == 1):
			t.Errorf("truncated: %v, warnings %q", r.Trace.Truncated, r.Warnings)
		}
	}
	failed := errors.New("the disk is broken")
	for _, n := range []int{0, 10, 16, len(data) / 2} {
		in := io.MultiReader(bytes.NewReader(data[:n]), iotest.ErrReader(failed))
		if r, err := Trace(in, ""); r != nil || !errors.Is(err, failed) {
			t.Errorf("after %d bytes: %v", n, err)
		}
	}
}

func zipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	z.Write([]byte(text))
	z.Close()
	return b.String()
}

func TestTrace_foreign(t *testing.T) {
	for _, c := range []struct{ data, want string }{
		{"", "it is empty"},
		{"go 1.2", `it begins with "go 1.2"`},
		{"go 1.23 trace\x00\x00\x00", "ends within its first second"},
		{"go 1.26 trace\x00\x00\x00" + strings.Repeat("x", 100), "that can be read"},
		{"go 1.5 trace\x00\x00\x00\x00", "go 1.5 wrote it, and since Go 1.22"},
		{"go 1.21 trace\x00\x00\x00", "go 1.21 wrote it"},
		{"go 1.99 trace\x00\x00\x00", "must be built with a newer golang.org/x/exp/trace"},
		{"go 1.26 is out, and so is all of this", `it begins with "go 1.26 is out`},
		{zipped("\x0a\x04\x08\x01\x10\x02 and the rest"), "go tool pprof reads profiles"},
		{"\x1f\x8b and no gzip", "begins like a gzip file, but"},
	} {
		r, err := Trace(strings.NewReader(c.data), "")
		if r != nil || !errors.Is(err, ErrNoTrace) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%.30q: %v, want %q", c.data, err, c.want)
		}
	}
}

func TestTrace_cut(t *testing.T) {
	data := recordedBy(t, "generations")
	whole := read(t, data)
	before, truncated := uint64(0), 0
	for i := range 80 {
		end := len(data) * i / 80
		r, err := Trace(bytes.NewReader(data[:end]), "")
		if err != nil {
			short := strings.Contains(err.Error(), "empty") || strings.Contains(err.Error(), "ends within")
			if !errors.Is(err, ErrNoTrace) || before > 0 || !short {
				t.Errorf("%d of %d bytes, %d events before: %v", end, len(data), before, err)
			}
			continue
		}
		if !r.Trace.Truncated { // it ends between two generations
			continue
		}
		truncated++
		if len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0], "cut off") {
			t.Errorf("%d of %d bytes: truncated %v, warnings %q", end, len(data), r.Trace.Truncated,
				r.Warnings)
		}
		if r.Trace.Events < before || r.Trace.Events > whole.Trace.Events {
			t.Errorf("%d events in %d bytes, %d in less, %d in all", r.Trace.Events, end, before,
				whole.Trace.Events)
		}
		consistent(t, r)
		before = r.Trace.Events
	}
	if truncated == 0 {
		t.Skip("the trace has one generation: this machine is too busy")
	}
	r, err := Trace(strings.NewReader(zipped(string(data))), "")
	if err != nil || r.Trace.Events != whole.Trace.Events {
		t.Errorf("%v, %+v, %d events without gzip", err, r, whole.Trace.Events)
	}
}
