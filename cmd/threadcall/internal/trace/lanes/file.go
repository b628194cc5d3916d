package lanes

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"time"
)

// The file consists of blocks of encoded intervals. A block has intervals of one class of lengths
// only, in the order of their ends. So a block covers little more time than its intervals take to
// end, and a window that is short finds a long interval without reading the short ones before it.
const (
	classes   = 34
	blockSize = 16 << 10
)

// classOf returns the class of a length: each has four times the lengths of the one before.
func classOf(length time.Duration) int {
	return min((bits.Len64(uint64(length))+1)/2, classes-1)
}

// A block has where intervals are in the file, and the time that they cover.
type block struct {
	offset   int64
	size     int
	from, to time.Duration // the least start, the last end
	base     time.Duration // to which the first end is relative
}

// A stream has the intervals of one class.
type stream struct {
	blocks  []block
	pending block
	data    []byte        // of the pending block
	last    time.Duration // end
}

// A Writer keeps intervals. The first error stays, and is returned by [Writer.Index].
type Writer struct {
	file    *os.File
	out     *bufio.Writer
	offset  int64
	streams [classes]stream
	index   *Index
	err     error
}

// Create returns a Writer of a temporary file.
func Create() (*Writer, error) {
	f, err := os.CreateTemp("", "threadcall-lanes-")
	if err != nil {
		return nil, keeping(err)
	}
	os.Remove(f.Name()) // which leaves the open file, except on Windows, however the process ends
	return &Writer{file: f, out: bufio.NewWriterSize(f, 1<<18)}, nil
}

func keeping(err error) error {
	return fmt.Errorf("the intervals of the trace cannot be kept: %w", err)
}

// Add keeps an interval. It must not end before one that was added earlier.
func (w *Writer) Add(v *Interval) {
	s := &w.streams[classOf(v.Length)]
	if len(s.data) == 0 {
		s.pending = block{from: v.Start, base: s.last}
	}
	end := v.End()
	s.pending.from, s.pending.to = min(s.pending.from, v.Start), end
	b := append(s.data, byte(v.Kind))
	for _, n := range [...]uint64{
		uint64(end - s.last), uint64(v.Length), uint64(v.Goroutine + 1), uint64(v.Thread + 1),
		uint64(v.Name), uint64(v.Stack), uint64(v.By + 1), uint64(v.ByStack),
	} {
		b = binary.AppendUvarint(b, n)
	}
	if v.Kind > Range {
		b = binary.AppendUvarint(b, v.Task)
	}
	s.data, s.last = b, end
	if len(b) >= blockSize {
		w.flush(s)
	}
}

func (w *Writer) flush(s *stream) {
	if len(s.data) > 0 && w.err == nil {
		s.pending.offset, s.pending.size = w.offset, len(s.data)
		s.blocks = append(s.blocks, s.pending)
		w.offset += int64(len(s.data))
		_, w.err = w.out.Write(s.data)
	}
	s.data = s.data[:0]
}

// Finish ends the writing. The tables must not change any more.
func (w *Writer) Finish(duration time.Duration, tables Tables) {
	for i := range w.streams {
		w.flush(&w.streams[i])
	}
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
	w.index = &Index{tables, max(duration, 1), w}
}

// Index returns what has been written, after [Writer.Finish].
func (w *Writer) Index() (*Index, error) {
	if w.err != nil {
		return nil, keeping(w.err)
	}
	return w.index, nil
}

// Close removes the file.
func (w *Writer) Close() error {
	err := w.file.Close()
	if removed := os.Remove(w.file.Name()); err == nil && !errors.Is(removed, os.ErrNotExist) {
		err = removed
	}
	return err
}

// An Index finds intervals.
type Index struct {
	Tables
	Duration time.Duration // the time of the last event, at least a nanosecond
	w        *Writer
}

// Scan calls f with each interval that overlaps the time between two moments, or touches it, in no
// order. The Interval is valid until f returns.
func (x *Index) Scan(from, to time.Duration, f func(*Interval)) error {
	var d decoder
	for i := range x.w.streams {
		for _, b := range x.w.streams[i].blocks {
			if b.from > to || b.to < from {
				continue
			}
			d.data = append(d.data[:0], make([]byte, b.size)...)
			if _, err := x.w.file.ReadAt(d.data, b.offset); err != nil {
				return err
			}
			d.last = b.base
			for len(d.data) > 0 {
				if !d.decode() {
					return errors.New("the temporary file with the intervals has changed")
				}
				if d.Start <= to && d.End() >= from {
					f(&d.Interval)
				}
			}
		}
	}
	return nil
}

// A decoder decodes the intervals of a block.
type decoder struct {
	Interval
	data   []byte // that follows
	last   time.Duration
	failed bool
}

// number decodes one. Most have one byte.
func (d *decoder) number() uint64 {
	if len(d.data) > 0 && d.data[0] < 0x80 {
		n := d.data[0]
		d.data = d.data[1:]
		return uint64(n)
	}
	n, size := binary.Uvarint(d.data)
	if size <= 0 {
		d.failed = true
		return 0
	}
	d.data = d.data[size:]
	return n
}

func (d *decoder) decode() (ok bool) {
	v := &d.Interval
	v.Kind = Kind(d.number())
	d.last += time.Duration(d.number())
	v.Length = time.Duration(d.number())
	v.Start = d.last - v.Length
	v.Goroutine, v.Thread = int64(d.number())-1, int64(d.number())-1
	v.Name, v.Stack = int32(d.number()), int32(d.number())
	v.By, v.ByStack = int64(d.number())-1, int32(d.number())
	v.Task = 0
	if v.Kind > Range {
		v.Task = d.number()
	}
	return !d.failed
}
