package lanes

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// The file consists of blocks of encoded intervals. A block has intervals of one class of lengths only, in the order of
// their ends. So a block covers little more time than its intervals take to end, and a window that is short finds a
// long interval without reading the short ones before it.
const (
	classes   = 34
	blockSize = 16 << 10
)

// classOf returns the class of a length: each has four times the lengths of the one before.
func classOf(length time.Duration) int { return min((bits.Len64(uint64(length))+1)/2, classes-1) }

// A block has where intervals are in the file, and the time that they cover.
type block struct {
	offset   int64
	size     int
	from, to time.Duration // the least start, the last end
	base     time.Duration // to which the first end is relative
}

type stream struct {
	blocks  []block
	pending block
	data    []byte
	last    time.Duration // end
}

// A Writer keeps intervals. The first error stays, and is returned by [Writer.Index].
type Writer struct {
	file    *os.File
	out     *bufio.Writer
	offset  int64
	streams [classes]stream
	names   []string
	nameOf  map[string]int32
	threads map[int64]string
	index   *Index
	err     error
}

// Create returns a Writer of a temporary file.
func Create() (*Writer, error) {
	f, err := os.CreateTemp("", "threadcall-lanes-")
	if err != nil {
		return nil, err
	}
	os.Remove(f.Name()) // which leaves the open file, except on Windows; so that it goes however the process ends
	return &Writer{
		file: f, out: bufio.NewWriterSize(f, 1<<18), names: []string{""}, nameOf: map[string]int32{"": 0}, threads: map[int64]string{},
	}, nil
}

// Name returns the number of a name.
func (w *Writer) Name(name string) int32 {
	n, ok := w.nameOf[name]
	if !ok {
		n = int32(len(w.names))
		w.names = append(w.names, ui.Plain(strings.Clone(name)))
		w.nameOf[strings.Clone(name)] = n // the reader's keeps a whole generation of the trace in memory
	}
	return n
}

// NameThread sets the name of a thread of the operating system.
func (w *Writer) NameThread(thread int64, name string) { w.threads[thread] = strings.Clone(name) }

// Add keeps an interval. It must not end before one that was added earlier.
func (w *Writer) Add(v *Interval) {
	s := &w.streams[classOf(v.Length)]
	if len(s.data) == 0 {
		s.pending = block{from: v.Start, base: s.last}
	}
	end := v.End()
	s.pending.from, s.pending.to = min(s.pending.from, v.Start), end
	b := append(s.data, byte(v.Kind))
	b = binary.AppendUvarint(b, uint64(end-s.last))
	b = binary.AppendUvarint(b, uint64(v.Length))
	b = binary.AppendUvarint(b, uint64(v.Goroutine+1))
	b = binary.AppendUvarint(b, uint64(v.Thread+1))
	b = binary.AppendUvarint(b, uint64(v.Name))
	b = binary.AppendUvarint(b, uint64(v.Stack))
	b = binary.AppendUvarint(b, uint64(v.By+1))
	b = binary.AppendUvarint(b, uint64(v.ByStack))
	if v.Kind > Range {
		b = binary.AppendUvarint(b, v.Task)
		b = binary.AppendUvarint(b, uint64(len(v.Text)))
		b = append(b, v.Text...)
	}
	s.data, s.last = b, end
	if len(b) >= blockSize {
		w.flush(s)
	}
}

func (w *Writer) flush(s *stream) {
	if len(s.data) == 0 || w.err != nil {
		s.data = s.data[:0]
		return
	}
	s.pending.offset, s.pending.size = w.offset, len(s.data)
	s.blocks = append(s.blocks, s.pending)
	w.offset += int64(len(s.data))
	_, w.err = w.out.Write(s.data)
	s.data = s.data[:0]
}

// Finish ends the writing. The stacks must not change any more.
func (w *Writer) Finish(duration time.Duration, stacks Stacks) {
	for i := range w.streams {
		w.flush(&w.streams[i])
		w.streams[i].data = nil
	}
	if err := w.out.Flush(); w.err == nil {
		w.err = err
	}
	w.nameOf, w.out = nil, nil
	w.index = &Index{w: w, duration: max(duration, 1), stacks: stacks}
}

// Index returns what has been written, after [Writer.Finish].
func (w *Writer) Index() (*Index, error) {
	if w.err != nil {
		return nil, fmt.Errorf("the intervals of the trace cannot be kept: %w", w.err)
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
	w        *Writer
	duration time.Duration
	stacks   Stacks
}

// Duration returns the time of the last event, at least a nanosecond.
func (x *Index) Duration() time.Duration { return x.duration }

// Name returns a name by its number.
func (x *Index) Name(n int32) string { return x.w.names[n] }

// Thread returns the name of a thread, empty if the trace does not have it.
func (x *Index) Thread(id int64) string { return x.w.threads[id] }

// Stack returns a stack by its number.
func (x *Index) Stack(n int32) []report.Frame { return x.stacks.Get(n) }

// Scan calls f with each interval that overlaps the time from from to to, or touches it, in no order. The Interval is valid until f
// returns.
func (x *Index) Scan(from, to time.Duration, f func(*Interval)) error {
	for i := range x.w.streams {
		c := cursor{x: x, blocks: x.w.streams[i].blocks, from: from, to: to}
		for c.next() {
			f(&c.Interval)
		}
		if c.err != nil {
			return c.err
		}
	}
	return nil
}

// A cursor is at an interval of a stream.
type cursor struct {
	Interval
	x        *Index
	blocks   []block // that follow
	from, to time.Duration
	data     []byte // of the current block
	pos      int    // in data, of what follows
	last     time.Duration
	err      error
}

var errDamaged = errors.New("the temporary file has changed")

func (c *cursor) next() bool {
	for {
		if c.pos >= len(c.data) && !c.load() {
			return false
		}
		if !c.decode() {
			c.err = errDamaged
			return false
		}
		if c.Start <= c.to && c.End() >= c.from {
			return true
		}
	}
}

// load reads the next block that overlaps the window.
func (c *cursor) load() bool {
	for len(c.blocks) > 0 {
		b := c.blocks[0]
		c.blocks = c.blocks[1:]
		if b.from > c.to || b.to < c.from {
			continue
		}
		if cap(c.data) < b.size {
			c.data = make([]byte, b.size+blockSize/8)
		}
		c.data, c.pos, c.last = c.data[:b.size], 0, b.base
		if _, err := c.x.w.file.ReadAt(c.data, b.offset); err != nil {
			c.err = err
			return false
		}
		return true
	}
	return false
}

// number decodes one. Most have one byte. Beyond the data it is zero, and pos is too.
func (c *cursor) number() uint64 {
	if c.pos < len(c.data) && c.data[c.pos] < 0x80 {
		c.pos++
		return uint64(c.data[c.pos-1])
	}
	n, size := binary.Uvarint(c.data[min(c.pos, len(c.data)):])
	if size <= 0 {
		c.pos = len(c.data) + 1
		return 0
	}
	c.pos += size
	return n
}

func (c *cursor) decode() bool {
	v := &c.Interval
	v.Kind = Kind(c.number())
	c.last += time.Duration(c.number())
	v.Length = time.Duration(c.number())
	v.Start = c.last - v.Length
	v.Goroutine, v.Thread = int64(c.number())-1, int64(c.number())-1
	v.Name, v.Stack = int32(c.number()), int32(c.number())
	v.By, v.ByStack = int64(c.number())-1, int32(c.number())
	v.Task, v.Text = 0, ""
	if v.Kind > Range {
		v.Task = c.number()
		n := c.number()
		if c.pos > len(c.data) || n > uint64(len(c.data)-c.pos) {
			return false
		}
		v.Text = string(c.data[c.pos:][:n])
		c.pos += int(n)
	}
	return c.pos <= len(c.data)
}
