package unit

import (
	"testing"
	"time"
)

func TestNumbersHaveThreeDigitsAndAUnit(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Duration(0), "0 ns"},
		{Duration(7), "7 ns"},
		{Duration(999), "999 ns"},
		{Duration(1234), "1.23 µs"},
		{Duration(999_600), "1.00 ms"},
		{Duration(-12_345_678), "-12.3 ms"},
		{Duration(599 * time.Second), "599 s"},
		{Duration(15 * time.Minute), "15 min"},
		{Duration(36 * time.Hour), "36 h"},
		{Nanoseconds(0.5), "0.50 ns"},
		{Bytes(0), "0 B"},
		{Bytes(1000), "0.98 KiB"},
		{Bytes(-3 << 20), "-3 MiB"},
		{Bytes(1.5 * (1 << 30)), "1.50 GiB"},
		{Bytes(5e15), "4547 TiB"},
		{Count(0), "0"},
		{Count(999), "999"},
		{Count(1000), "1,000"},
		{Count(1234567), "1,234,567"},
		{Share(1, 0), "-"},
		{Share(0, 1), "0.0%"},
		{Share(1, 1e6), "<0.1%"},
		{Share(1, 3), "33.3%"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
