package perfetto

import (
	stdbytes "bytes"
	"encoding/binary"
	"fmt"
	"runtime"
	"runtime/trace"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/lanes"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/read"
)

// fields decodes a message.
func fields(t *testing.T, m []byte) map[int][]any {
	t.Helper()
	all := map[int][]any{}
	for len(m) > 0 {
		tag, n := binary.Uvarint(m)
		if n <= 0 {
			t.Fatalf("no tag in %x", m)
		}
		m = m[n:]
		var value any
		switch tag & 7 {
		case varint:
			x, n := binary.Uvarint(m)
			if n <= 0 {
				t.Fatalf("field %d has no number", tag>>3)
			}
			value, m = x, m[n:]
		case fixed64:
			value, m = binary.LittleEndian.Uint64(m), m[8:]
		case bytes:
			size, n := binary.Uvarint(m)
			if n <= 0 || uint64(len(m)-n) < size {
				t.Fatalf("field %d is too short", tag>>3)
			}
			value, m = m[n:][:size], m[n:][size:]
		default:
			t.Fatalf("wire type %d", tag&7)
		}
		all[int(tag>>3)] = append(all[int(tag>>3)], value)
	}
	return all
}

func one[T any](f map[int][]any, field int) (v T) {
	if len(f[field]) > 0 {
		v, _ = f[field][0].(T)
	}
	return v
}

// recorded returns the intervals of goroutines that use a mutex, in tasks with regions and logs.
func recorded(t *testing.T) *lanes.Index {
	t.Helper()
	var out stdbytes.Buffer
	if err := trace.Start(&out); err != nil {
		t.Skip("this process records a trace already: ", err)
	}
	var mu sync.Mutex
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			ctx, task := trace.NewTask(t.Context(), "job")
			defer task.End()
			for range 20 {
				trace.WithRegion(ctx, "locked", func() {
					mu.Lock()
					defer mu.Unlock()
					time.Sleep(10 * time.Microsecond)
				})
				trace.Log(ctx, "note", "done")
			}
		})
	}
	all.Wait()
	runtime.GC()
	trace.Stop()
	w, err := lanes.Create()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	if _, err := read.Trace(&out, read.Options{Lanes: w}); err != nil {
		t.Fatal(err)
	}
	x, err := w.Index()
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func TestFilesAreConsistent(t *testing.T) {
	x := recorded(t)
	var out stdbytes.Buffer
	begin := time.Unix(1e9, 0)
	if err := Write(&out, x, lanes.Selection{}, "name", &begin); err != nil {
		t.Fatal(err)
	}
	tracks := map[uint64]string{0: ""}
	names := map[uint64]string{}
	seen := map[string]int{}
	type edge struct{ at, kind uint64 }
	edges := map[uint64][]edge{}
	flows := map[uint64]int{}
	for i, p := range fields(t, out.Bytes())[tracePacket] {
		packet := fields(t, p.([]byte))
		if one[uint64](packet, packetSequence) != sequence {
			t.Fatalf("packet %d is of sequence %v", i, packet[packetSequence])
		}
		for _, in := range packet[packetInterned] {
			for _, e := range fields(t, in.([]byte))[internedEvents] {
				name := fields(t, e.([]byte))
				names[one[uint64](name, internedID)] = string(one[[]byte](name, internedText))
			}
		}
		if d := one[[]byte](packet, packetTrackDescriptor); d != nil {
			track := fields(t, d)
			if _, ok := tracks[one[uint64](track, trackParent)]; !ok {
				t.Errorf("the parent of track %v is missing", track)
			}
			tracks[one[uint64](track, trackUUID)] = string(one[[]byte](track, trackName))
		}
		ev := one[[]byte](packet, packetTrackEvent)
		if ev == nil {
			continue
		}
		e := fields(t, ev)
		track, kind := one[uint64](e, eventTrack), one[uint64](e, eventType)
		if _, ok := tracks[track]; !ok {
			t.Fatalf("no track %d", track)
		}
		if id := one[uint64](e, eventName); id != 0 {
			if names[id] == "" {
				t.Errorf("no name %d", id)
			}
			seen[names[id]]++
		}
		if kind == sliceBegin || kind == sliceEnd {
			edges[track] = append(edges[track], edge{one[uint64](packet, packetTimestamp), kind})
		}
		if id := one[uint64](e, eventFlow); id != 0 {
			flows[id]++
		}
		if id := one[uint64](e, eventTerminatingFlow); id != 0 && flows[id] != 1 {
			t.Errorf("flow %d ends, and began %d times", id, flows[id])
		}
	}
	for track, list := range edges {
		slices.SortStableFunc(list, func(a, b edge) int { return int(a.at) - int(b.at) })
		depth := 0
		for _, e := range list {
			if depth += 3 - 2*int(e.kind); depth < 0 {
				t.Fatalf("track %q: an end without a begin", tracks[track])
			}
		}
		if depth != 0 {
			t.Errorf("track %q: %d slices do not end", tracks[track], depth)
		}
	}
	for name, n := range map[string]int{"job": 5, "locked": 100, "log": 100} {
		if seen[name] != n {
			t.Errorf("%d of %q, want %d", seen[name], name, n)
		}
	}
	if len(flows) == 0 || seen["running"] == 0 {
		t.Errorf("%d flows, events %v", len(flows), seen)
	}
}

func TestFilesOfAPartHaveItsGoroutines(t *testing.T) {
	x := recorded(t)
	var id int64
	if err := x.Scan(0, x.Duration(), func(v *lanes.Interval) {
		if v.Kind == lanes.Region {
			id = v.Goroutine
		}
	}); err != nil {
		t.Fatal(err)
	}
	var out stdbytes.Buffer
	if err := Write(&out, x, lanes.Selection{Goroutines: []int64{id}}, "name", nil); err != nil {
		t.Fatal(err)
	}
	for _, p := range fields(t, out.Bytes())[tracePacket] {
		if d := one[[]byte](fields(t, p.([]byte)), packetTrackDescriptor); d != nil {
			track := fields(t, d)
			name := string(one[[]byte](track, trackName))
			if one[uint64](track, trackParent) == uuidGoroutines && name != "tasks" && !stdbytes.HasPrefix([]byte(name), fmt.Appendf(nil, "G%d ", id)) {
				t.Errorf("has the track %q, but goroutine %d is selected", name, id)
			}
		}
	}
}
