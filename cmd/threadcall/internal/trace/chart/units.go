package chart

import (
	"math"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace"
)

func byteCount(n uint64) string { return signedBytes(float64(n)) }

func signedBytes(n float64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB"}
	for math.Abs(n) >= 1024 && len(units) > 1 {
		n /= 1024
		units = units[1:]
	}
	return threeDigits(n) + " " + units[0]
}

// duration returns d with three digits, or 0.
func duration(d time.Duration) string { return nanoseconds(float64(d)) }

func nanoseconds(n float64) string {
	units := []string{"ns", "µs", "ms", "s"}
	for math.Abs(n) >= 999.5 && len(units) > 1 {
		n /= 1000
		units = units[1:]
	}
	if units[0] == "s" && n >= 600 {
		return threeDigits(n/60) + " min"
	}
	return threeDigits(n) + " " + units[0]
}

func threeDigits(n float64) string {
	digits := 0
	switch a := math.Abs(n); {
	case a == math.Trunc(a) || a >= 99.95:
	case a >= 9.995:
		digits = 1
	default:
		digits = 2
	}
	return strconv.FormatFloat(n, 'f', digits, 64)
}

// count returns n in groups of three digits.
func count(n any) string {
	var s string
	switch n := n.(type) {
	case int:
		s = strconv.Itoa(n)
	case uint64:
		s = strconv.FormatUint(n, 10)
	case float64:
		s = strconv.FormatFloat(n, 'f', 0, 64)
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "\u202f" + s[i:]
	}
	return s
}

func mean(d trace.Distribution) float64 {
	if d.N == 0 {
		return 0
	}
	return d.Sum / float64(d.N)
}

// share returns part of whole in percent.
func share(part, whole any) string {
	p, w := float(part), float(whole)
	if w == 0 {
		return "–"
	}
	return threeDigits(math.Round(1000*p/w)/10) + " %"
}

func float(n any) float64 {
	switch n := n.(type) {
	case uint64:
		return float64(n)
	case time.Duration:
		return float64(n)
	case float64:
		return n
	}
	return 0
}

// shortName returns the function without the directories of its package.
func shortName(function string) string {
	i := strings.LastIndexByte(function, '/')
	if bracket := strings.IndexByte(function, '['); bracket >= 0 && i > bracket { // of type arguments
		i = strings.LastIndexByte(function[:bracket], '/')
	}
	return function[i+1:]
}

func shortFile(name string) string {
	name = strings.ReplaceAll(name, `\`, "/")
	return path.Join(path.Base(path.Dir(name)), path.Base(name))
}
