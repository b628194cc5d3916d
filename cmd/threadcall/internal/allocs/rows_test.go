package allocs

import (
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/hook"
)

// Objects below 16 bytes share a block, and the profile has the place of the first. An operation
// that makes a number and a string needs one block, whichever of the two comes first in a run.
func TestReport_join_sharedBlocks(t *testing.T) {
	std := func(function, file string) hook.Frame {
		return hook.Frame{Function: function, File: file, Standard: true}
	}
	frames := []hook.Frame{std("runtime.convT64", "/src/runtime/iface.go"),
		{Function: "example.com/p.F", File: "p.go", Line: 3},
		std("runtime.slicebytetostring", "/src/runtime/string.go"),
		std("fmt.Sprintf", "/src/fmt/print.go")}
	number, text := []int{0, 1}, []int{2, 3, 1}
	profile := func(n int64, first ...[]int) *hook.Profile {
		p := &hook.Profile{Frames: frames, Objects: uint64(2 * n), Bytes: uint64(16 * n)}
		for _, stack := range first {
			n /= int64(len(first))
			p.Records = append(p.Records, hook.Record{Objects: n, Bytes: 16 * n, Stack: stack})
		}
		return p
	}
	for name, profiles := range map[string][2]*hook.Profile{
		"first the number":           {profile(1000, number), profile(2000, number)},
		"first the string":           {profile(1000, text), profile(2000, text)},
		"in the longer run a string": {profile(1000, number), profile(2000, text)},
		"in the longer run a number": {profile(1000, text), profile(2000, number)},
	} {
		r := Report{Runs: []Run{{profile: heap.Difference(profiles[0], profiles[1], 1000)}}}
		r.join(escape.New())
		rows := r.Runs[0].Rows
		if len(rows) != 1 || rows[0].Amount != (heap.Amount{Objects: 2,
			Bytes: 16}) {
			t.Errorf("%s: %+v", name, rows)
		}
		both := rows[0].Kind == Tiny && strings.Contains(rows[0].Why, "bytes were made a string") &&
			strings.Contains(rows[0].Why, "a value was put into an interface")
		if strings.HasPrefix(name, "in") && !both {
			t.Errorf("%s: %s", name, rows[0].Why)
		}
	}
}
