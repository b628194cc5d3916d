package hook

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// Name is the directory of the package in the module that is tested.
const Name = "threadcallhook"

// Files are those that are compiled into a test binary.
//
//go:embed hook.go profile.go
var Files embed.FS

// ReadFile reads the profile of a process, without what it has allocated before the last ResetTimer
// and while the timer was stopped.
func ReadFile(path string) (*Profile, error) {
	p, err := read(path)
	if err != nil {
		return nil, err
	}
	switch base, err := read(path + BaseSuffix); {
	case err == nil:
		p.subtract(base)
	case !errors.Is(err, os.ErrNotExist):
		return nil, err
	}
	text, err := os.ReadFile(path + TimerSuffix)
	if err != nil {
		return nil, err
	}
	var objects, bytes uint64
	if _, err := fmt.Sscan(string(text), &objects, &bytes); err != nil {
		return nil, fmt.Errorf("%s: %w", path+TimerSuffix, err)
	}
	p.Objects, p.Bytes = p.Objects-min(objects, p.Objects), p.Bytes-min(bytes, p.Bytes)
	return p, nil
}

func read(path string) (*Profile, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	p := &Profile{}
	return p, json.Unmarshal(text, p)
}

// subtract removes what is in base, stack by stack.
func (p *Profile) subtract(base *Profile) {
	before := map[string]Record{}
	for _, r := range base.Records {
		k := base.key(r)
		sum := before[k]
		sum.Objects, sum.Bytes = sum.Objects+r.Objects, sum.Bytes+r.Bytes
		before[k] = sum
	}
	for i := range p.Records {
		r := &p.Records[i]
		k := p.key(*r)
		b := before[k]
		objects, bytes := min(b.Objects, r.Objects), min(b.Bytes, r.Bytes)
		r.Objects, r.Bytes = r.Objects-objects, r.Bytes-bytes
		b.Objects, b.Bytes = b.Objects-objects, b.Bytes-bytes
		before[k] = b
	}
	p.Objects, p.Bytes = p.Objects-min(base.Objects, p.Objects), p.Bytes-min(base.Bytes, p.Bytes)
}

// key identifies the size and the stack of a record in all profiles.
func (p *Profile) key(r Record) string {
	text := fmt.Sprint(r.Bytes / max(r.Objects, 1))
	for _, at := range r.Stack {
		f := p.Frames[at]
		text += fmt.Sprintf(" %s:%s:%d", f.Function, f.File, f.Line)
	}
	return text
}
