package hook

import (
	"bytes"
	_ "embed" // for the source
	"encoding/json"
	"os"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/overlay"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

//go:embed hook.go
var source []byte

// Overlay writes into dir an overlay of package testing with the hook in it. It returns the name of
// the file for the flag -overlay of a go command with this GOROOT.
func Overlay(goroot, dir string) (string, error) {
	text := bytes.Replace(source, []byte("\npackage hook\n"), []byte("\npackage testing\n"), 1)
	return overlay.Testing(goroot, dir, map[string][]byte{"hook.go": text})
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
