package analysis

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrNoTrace is wrapped by the errors of [Trace] about a file that is not a trace, or not one that
// can be read.
var ErrNoTrace = errors.New("not a Go execution trace")

// recognize returns the trace's format, which its header names: "go 1.26 trace" and zeros. Whole
// has the whole trace, decompressed.
func recognize(r io.Reader) (format string, whole io.Reader, err error) {
	const size = 16 // of the header
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(size)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		unzipped, err := gzip.NewReader(in)
		if err != nil {
			return "", nil, fmt.Errorf("%w: it begins like a gzip file, but: %v", ErrNoTrace, err)
		}
		in = bufio.NewReaderSize(unzipped, 1<<16)
		head, _ = in.Peek(size)
	} else if err != nil && err != io.EOF {
		return "", nil, err
	}
	format, _, ok := strings.Cut(string(head), " trace\x00")
	switch {
	case len(head) == 0:
		err = fmt.Errorf("%w: it is empty; was the program killed before it wrote anything?", ErrNoTrace)
	case !ok || !strings.HasPrefix(format, "go 1."):
		err = fmt.Errorf("%w: it begins with %q; runtime/trace, `go test -trace` and /debug/pprof/trace "+
			"write traces, go tool pprof reads profiles, and -- stands before a program that is to run",
			ErrNoTrace, head)
	case len(format) < len("go 1.22") || format < "go 1.22":
		err = fmt.Errorf("%w that can be read: %s wrote it, and since Go 1.22 the format is another one",
			ErrNoTrace, format)
	default:
		err = nil
	}
	return format, in, err
}
