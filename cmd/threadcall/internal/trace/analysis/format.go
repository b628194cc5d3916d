package analysis

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// ErrNoTrace is wrapped by the errors of [Trace] about a file that is not a trace, or not one that
// can be read.
var ErrNoTrace = errors.New("not a Go execution trace")

const (
	howTo = "runtime/trace, `go test -trace` and /debug/pprof/trace write traces"
	pprof = "open a profile with `go tool pprof`; " + howTo
)

// headerSize is the size of the header of each trace: "go 1.26 trace" and zeros.
const headerSize = 16

// recognize returns the trace's format and a reader of the whole trace, decompressed.
func recognize(r io.Reader) (format string, whole io.Reader, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	head, err := in.Peek(headerSize)
	if bytes.HasPrefix(head, []byte{0x1f, 0x8b}) {
		var unzipped io.Reader
		if unzipped, err = gzip.NewReader(in); err == nil {
			in = bufio.NewReaderSize(unzipped, 1<<16)
			head, err = in.Peek(headerSize)
		}
		switch {
		case err != nil && err != io.EOF:
			return "", nil, fmt.Errorf("%w: it begins like a gzip file, but: %v", ErrNoTrace, err)
		case !bytes.HasPrefix(head, []byte("go 1.")):
			return "", nil, foreign("gzip file, most likely a profile", pprof)
		}
	}
	if err != nil && err != io.EOF {
		return "", nil, err
	}
	text, zeros, ok := bytes.Cut(head, []byte(" trace\x00"))
	minor, isGo := strings.CutPrefix(string(text), "go 1.")
	version, err := strconv.Atoi(minor)
	valid := ok && isGo && err == nil && len(bytes.Trim(zeros, "\x00")) == 0 && len(head) == headerSize
	switch {
	case len(head) == 0:
		err = fmt.Errorf("%w: it is empty; was the program killed before it wrote anything?", ErrNoTrace)
	case len(head) < headerSize && isGo:
		err = fmt.Errorf("%w: it ends within its header; was the program killed?", ErrNoTrace)
	case !valid:
		more, _ := in.Peek(512)
		err = foreign(guess(more))
	case version < 11:
		err = fmt.Errorf("%w: its format is of Go 1.%d, and formats before Go 1.11 cannot be read; "+
			"record it again with a newer Go", ErrNoTrace, version)
	}
	return "go 1." + minor, in, err
}

func foreign(what, advice string) error {
	return fmt.Errorf("%w but a %s; %s", ErrNoTrace, what, advice)
}

// guess describes a file that begins with head.
func guess(head []byte) (what, advice string) {
	begins := func(with string) bool { return bytes.HasPrefix(head, []byte(with)) }
	text := bytes.TrimSpace(head)
	switch {
	case begins("\x7fELF"), begins("MZ"), begins("\xcf\xfa\xed\xfe"), begins("\xca\xfe\xba\xbe"):
		return "program", "to run it, put -- before it; it must import the recorder"
	case begins("\x0a") && bytes.Contains(head, []byte("\x12")) && !utf8.Valid(head):
		return "profile", pprof
	case bytes.HasPrefix(text, []byte("{")), bytes.HasPrefix(text, []byte("[")):
		return "JSON file", "open a trace of Chrome's format at ui.perfetto.dev; " + howTo
	case utf8.Valid(head[:max(0, len(head)-utf8.UTFMax)]) && !bytes.ContainsAny(head, "\x00"):
		line, _, _ := bytes.Cut(text, []byte("\n"))
		return fmt.Sprintf("text file (%q)", ui.Head(string(line), 40)), howTo
	}
	return fmt.Sprintf("file that begins with %q", head[:min(len(head), 8)]), howTo
}
