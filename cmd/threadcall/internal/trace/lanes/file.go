package lanes

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"time"
)

// A File has the intervals of a trace, in the order of their ends.
type File struct {
	Tables
	Duration time.Duration // the time of the last event, at least a nanosecond

	file *os.File
	out  *bufio.Writer // keeps the first error
	last time.Duration // the end of the last interval
	data []byte        // of one interval
}

// Create returns a File without intervals.
func Create() (*File, error) {
	f, err := os.CreateTemp("", "threadcall-lanes-")
	if err != nil {
		return nil, keeping(err)
	}
	os.Remove(f.Name()) // which leaves the open file, except on Windows, however the process ends
	return &File{file: f, out: bufio.NewWriterSize(f, 1<<18)}, nil
}

func keeping(err error) error {
	return fmt.Errorf("the intervals of the trace cannot be kept: %w", err)
}

// numbers is how many an interval consists of.
const numbers = 10

// Add keeps an interval. It must not end before one that was added earlier.
func (l *File) Add(v *Interval) {
	l.data = l.data[:0]
	for _, n := range [numbers]uint64{
		uint64(v.Kind), uint64(v.End() - l.last), uint64(v.Length),
		uint64(v.Goroutine + 1), uint64(v.Thread + 1), uint64(v.Name), uint64(v.Stack),
		uint64(v.By + 1), uint64(v.ByStack), v.Task,
	} {
		l.data = binary.AppendUvarint(l.data, n)
	}
	l.last = v.End()
	_, _ = l.out.Write(l.data)
}

// Finish ends the writing. The tables must not change any more.
func (l *File) Finish(duration time.Duration, tables Tables) {
	l.Tables, l.Duration = tables, max(duration, 1)
}

// Scan calls f with each interval, after [File.Finish]. The Interval is valid until f returns.
func (l *File) Scan(f func(*Interval)) error {
	if err := l.out.Flush(); err != nil {
		return keeping(err)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(l.file, 0, math.MaxInt64), 1<<18)
	var v Interval // one for all, which is allocated
	for end := time.Duration(0); ; {
		data, err := in.Peek(numbers * binary.MaxVarintLen64)
		if len(data) == 0 && err == io.EOF {
			return nil
		}
		var n [numbers]uint64
		read := 0
		for i := range n {
			x, size := binary.Uvarint(data[read:])
			if size <= 0 {
				return keeping(cmp.Or(err, io.ErrUnexpectedEOF))
			}
			n[i], read = x, read+size
		}
		_, _ = in.Discard(read)
		end += time.Duration(n[1])
		v = Interval{
			Kind: Kind(n[0]), Start: end - time.Duration(n[2]), Length: time.Duration(n[2]),
			Goroutine: int64(n[3]) - 1, Thread: int64(n[4]) - 1, Name: int32(n[5]), Stack: int32(n[6]),
			By: int64(n[7]) - 1, ByStack: int32(n[8]), Task: n[9],
		}
		f(&v)
	}
}

// Close removes the file.
func (l *File) Close() error {
	err := l.file.Close()
	if removed := os.Remove(l.file.Name()); err == nil && !errors.Is(removed, os.ErrNotExist) {
		err = removed
	}
	return err
}
