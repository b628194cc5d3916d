// Package hook makes benchmarks write down what they allocate: testdata/hook.go.txt becomes a part
// of the test binary's package testing.
package hook

import (
	_ "embed" // for the source
	"encoding/json"
	"os"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

// ProfileVariable is a variable of the environment: the file for the profile. Empty: there is none.
const ProfileVariable = "THREADCALL_ALLOCS_PROFILE"

// A Profile has what a benchmark has allocated while its timer ran and since it was last reset, in
// all its runs, with the runtime's own frames, which runtime/pprof leaves out: they tell an append
// from a channel, and a channel from a goroutine's wait.
type Profile struct {
	Go             string
	Objects, Bytes uint64 // counted by the runtime, each tiny object by itself
	Frames         []alloc.Frame
	Records        []Record
}

// A Record is what was allocated with one stack and one size. Objects without pointers that are
// smaller than 16 bytes share blocks of 16; those count as one object then.
type Record struct {
	Objects, Bytes int64
	Stack          []int // in Frames, innermost first; at most 32 functions not inlined
}

//go:embed testdata/hook.go.txt
var source []byte

// Overlay writes into dir an overlay of package testing with the hook in it. It returns the name of
// the file for the flag -overlay of a go command with this GOROOT.
func Overlay(goroot, dir string) (string, error) {
	return overlay.Testing(goroot, dir, map[string][]byte{"hook.go": source})
}

// ReadFile reads the profile of a process.
func ReadFile(path string) (*Profile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Profile{}
	err = json.Unmarshal(text, p)
	for i := range p.Frames {
		p.Frames[i].Function = symbol.Unescape(p.Frames[i].Function)
	}
	return p, err
}
