package record

import (
	"encoding/csv"
	"io"
	"strconv"
)

// WriteCSV writes a line for each sample, after one that names the columns.
func WriteCSV(out io.Writer, samples []Sample) error {
	w := csv.NewWriter(out)
	_ = w.Write([]string{"seconds", "live_bytes", "objects", "stack_bytes", "goroutines", "threads", "resident_bytes",
		"calls", "mallocs", "cpu_seconds"}) // w.Error tells
	number := func(x float64) string { return strconv.FormatFloat(x, 'f', -1, 64) }
	for _, s := range samples {
		_ = w.Write([]string{strconv.FormatFloat(s.At.Seconds(), 'f', 3, 64), number(s.Live), number(s.Objects),
			number(s.Stacks), number(s.Goroutines), number(s.Threads), number(s.Resident),
			strconv.FormatUint(s.Calls, 10), strconv.FormatUint(s.Mallocs, 10),
			strconv.FormatFloat(s.CPU.Seconds(), 'f', 3, 64)})
	}
	w.Flush()
	return w.Error()
}
