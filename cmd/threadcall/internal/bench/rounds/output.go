package rounds

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// most is how much of a process's output is kept. A benchmark that writes without end must not fill the memory.
const most = 16 << 20

// A shared buffer keeps the first bytes that it gets.
type shared struct {
	mu     sync.Mutex
	buffer bytes.Buffer
	lost   int
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := min(len(p), most-s.buffer.Len())
	s.buffer.Write(p[:n])
	s.lost += len(p) - n
	return len(p), nil
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost > 0 {
		return fmt.Sprintf("%s\n[%d more bytes]\n", s.buffer.Bytes(), s.lost)
	}
	return s.buffer.String()
}

type both struct{ one, other io.Writer }

func (b *both) Write(p []byte) (int, error) {
	if n, err := b.one.Write(p); err != nil {
		return n, err
	}
	return b.other.Write(p)
}
