package hook

import (
	_ "embed" // for Source
	"encoding/json"
	"os"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// Name is the directory of the package in the module that is tested.
const Name = "threadcallhook"

// Source is the file that is compiled into a test binary.
//
//go:embed hook.go
var Source []byte

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
