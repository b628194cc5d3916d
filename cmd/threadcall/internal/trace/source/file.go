package source

import (
	"fmt"
	"os"
)

func (r Request) openFile(yield func(*Trace, error) bool) {
	if r.File == "-" {
		yield(&Trace{Reader: os.Stdin, Name: "standard input", Size: size(os.Stdin)}, nil)
		return
	}
	read(r.File, r.File, "", nil, yield)
}

// read yields the trace in a file. The directory temp, if there is one, has served its purpose. It goes before the trace
// is read, so that nothing stays behind if the user has no patience and interrupts twice.
func read(file, name, temp string, failed error, yield func(*Trace, error) bool) (more bool) {
	f, err := os.Open(file)
	if err != nil {
		return yield(nil, err)
	}
	defer f.Close()
	if temp != "" {
		os.RemoveAll(temp) // where open files cannot be removed, inTemp does it
	}
	if at, err := f.Stat(); err == nil && at.IsDir() {
		return yield(nil, fmt.Errorf("%s is a directory, not a trace", file))
	}
	return yield(&Trace{Reader: f, Name: name, Size: size(f), Failed: failed}, nil)
}

// size returns how much can be read, or -1 if f does not tell.
func size(f *os.File) int64 {
	at, err := f.Stat()
	if err != nil || !at.Mode().IsRegular() {
		return -1
	}
	return at.Size()
}
