package rounds

import "fmt"

// most is how much of a process's output is kept from its beginning, and at least from its end. A benchmark that writes
// without end must not fill the memory.
const most = 8 << 20

// An output keeps the first and the last bytes that it gets: testing writes the name of a benchmark first, and its figures
// last.
type output struct {
	first, last []byte
	lost        int // between them
}

func (o *output) Write(p []byte) (int, error) {
	n := min(len(p), most-len(o.first))
	o.first, o.last = append(o.first, p[:n]...), append(o.last, p[n:]...)
	if cut := len(o.last) - most; cut > most {
		o.lost += cut
		o.last = append(o.last[:0], o.last[cut:]...)
	}
	return len(p), nil
}

func (o *output) String() string {
	if o.lost > 0 {
		return fmt.Sprintf("%s\n[%d bytes left out]\n%s", o.first, o.lost, o.last)
	}
	return string(o.first) + string(o.last)
}
