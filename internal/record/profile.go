package record

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// Source is the file that Write is in.
//
//go:embed memprofile.go
var Source string

// A Profile is what [Write] writes.
type Profile struct {
	Version      int
	Go, OS, Arch string
	Seconds      float64 // since the beginning that Write was given
	Procs        int     // GOMAXPROCS
	Goroutines   int
	Collections  uint32

	// What the runtime has counted, the profile apart: objects and bytes ever allocated on the heap, each tiny object
	// by itself, and what is not of the heap, in bytes as it is now: the stacks of goroutines; itabs and others that
	// are never freed; descriptions of spans, the processors' caches, the collector's own, the profile's own.
	Objects, Bytes        uint64
	StackBytes            uint64
	OtherBytes            uint64
	SpanBytes, CacheBytes uint64
	GCBytes, BucketBytes  uint64

	Frames  []Frame
	Records []Record
}

// A Frame is one function on a stack.
type Frame struct {
	Function, File string
	Line           int
	Inlined        bool // into the next frame of the stack
}

// A Record is what was allocated with one stack and one size. Objects without pointers that are smaller than 16 bytes
// share blocks of 16; those count as one object then.
type Record struct {
	Objects, Bytes         int64 // ever allocated
	LiveObjects, LiveBytes int64 // of these, still in use after the last collection
	Stack                  []int // in Frames, the innermost first; at most 32 functions that are not inlined
}

// ReadFile reads the file that Write has written.
func ReadFile(path string) (*Profile, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return Read(f)
}

// Read reads what Write has written, or returns what is wrong with it.
func Read(r io.Reader) (*Profile, error) {
	var p Profile
	if err := json.NewDecoder(r).Decode(&p); err != nil {
		return nil, fmt.Errorf("not a profile of package record: %w", err)
	}
	if p.Version != 1 {
		return nil, fmt.Errorf("a profile of version %d; this program reads version 1", p.Version)
	}
	for _, rec := range p.Records {
		for _, at := range rec.Stack {
			if at < 0 || at >= len(p.Frames) {
				return nil, errors.New("a damaged profile: a stack names a frame that is not there")
			}
		}
	}
	return &p, nil
}
