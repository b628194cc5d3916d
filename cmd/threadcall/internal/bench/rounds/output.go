package rounds

import (
	"bytes"
	"fmt"
)

// most is how much of a process's output is kept. A benchmark that writes without end must not fill the memory.
const most = 16 << 20

// An output keeps the first bytes that it gets.
type output struct {
	kept bytes.Buffer
	lost int
}

func (o *output) Write(p []byte) (int, error) {
	n := min(len(p), most-o.kept.Len())
	o.kept.Write(p[:n])
	o.lost += len(p) - n
	return len(p), nil
}

func (o *output) String() string {
	if o.lost > 0 {
		return fmt.Sprintf("%s\n[%d more bytes]\n", o.kept.Bytes(), o.lost)
	}
	return o.kept.String()
}
