package ui

import (
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

type number interface {
	~int | ~int64 | ~uint64 | ~float64
}

// Digits formats x with three digits, or more before the point.
func Digits(x float64) string {
	places := 0
	switch a := math.Abs(x); {
	case a < 9.995:
		places = 2
	case a < 99.95:
		places = 1
	}
	return strconv.FormatFloat(x, 'f', places, 64)
}

// Number formats x exactly if it is whole and below ten million, and with three digits or more
// otherwise.
func Number[T number](x T) string {
	v := float64(x)
	if whole := math.Round(v); math.Abs(v-whole) < max(0.0005, 1e-6*math.Abs(v)) {
		v = whole
	}
	switch a := math.Abs(v); {
	case a >= 1e10:
		return strconv.FormatFloat(v/1e9, 'f', 1, 64) + "G"
	case a >= 1e7:
		return strconv.FormatFloat(v/1e6, 'f', 1, 64) + "M"
	case v == math.Trunc(v) || a >= 99.95:
		text := Count(uint64(math.Round(a)))
		if v < 0 {
			text = "-" + text
		}
		return text
	case a < 1:
		return strconv.FormatFloat(v, 'g', 3, 64)
	}
	return Digits(v)
}

// Count formats n exactly, with a comma before every three digits.
func Count(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Counted formats n and the noun that it counts.
func Counted[T number](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return Number(n) + " " + many
}

// scale divides n by step until it has at most three digits before the point, or units has one
// element left.
func scale(n, step float64, units []string) string {
	for math.Abs(n) >= 999.5 && len(units) > 1 {
		n, units = n/step, units[1:]
	}
	if n == math.Trunc(n) {
		return strconv.FormatFloat(n, 'f', 0, 64) + " " + units[0]
	}
	return Digits(n) + " " + units[0]
}

// Duration formats a number of nanoseconds as "1.23 ms".
func Duration[T number](ns T) string {
	switch s := float64(ns) / 1e9; {
	case math.Abs(s) >= 600*60:
		return scale(s/3600, 1, []string{"h"})
	case math.Abs(s) >= 600:
		return scale(s/60, 1, []string{"min"})
	}
	return scale(float64(ns), 1000, []string{"ns", "µs", "ms", "s"})
}

// Bytes formats a number of bytes, from 10 KiB on as "12.3 MiB".
func Bytes[T number](n T) string {
	if math.Abs(float64(n)) < 10<<10 {
		return Number(n) + " B"
	}
	return scale(float64(n)/1024, 1024, []string{"KiB", "MiB", "GiB", "TiB"})
}

// Text formats counts, and times, which are nanoseconds if they are not whole.
func Text(value any) string {
	switch x := value.(type) {
	case uint64:
		return Count(x)
	case time.Duration:
		return Duration(x)
	case float64:
		return Duration(x)
	}
	return fmt.Sprint(value)
}

// Say is [fmt.Sprintf] with whole times as [Duration] formats them, and counts.
func Say(format string, args ...any) string {
	for i, arg := range args {
		switch arg.(type) {
		case time.Duration, uint64:
			args[i] = Text(arg)
		}
	}
	return fmt.Sprintf(format, args...)
}

// Some returns the first of the names.
func Some(names []string, most int) string {
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// Path returns the name of a file, relative to dir if the file is below it, and else its last two
// elements. Dir may be empty.
func Path(file, dir string) string {
	if rel, err := filepath.Rel(dir, file); dir != "" && err == nil && filepath.IsLocal(rel) {
		return rel
	}
	file = strings.ReplaceAll(file, `\`, "/")
	return path.Join(path.Base(path.Dir(file)), path.Base(file))
}
