package ui

import (
	"testing"
	"time"
)

func TestUnits(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Duration(time.Duration(0)), "0 ns"},
		{Duration(7), "7 ns"},
		{Duration(1234), "1.23 µs"},
		{Duration(999_600), "1.00 ms"},
		{Duration(-12_345_678), "-12.3 ms"},
		{Duration(599 * time.Second), "599 s"},
		{Duration(15 * time.Minute), "15 min"},
		{Duration(36 * time.Hour), "36 h"},
		{Duration(0.5), "0.50 ns"},
		{Bytes(0), "0 B"},
		{Bytes(0.5), "0.5 B"},
		{Bytes(8160.0), "8,160 B"},
		{Bytes(10240), "10 KiB"},
		{Bytes(-3 << 20), "-3 MiB"},
		{Bytes(1.5 * (1 << 30)), "1.50 GiB"},
		{Bytes(5e15), "4547 TiB"},
		{Count(999), "999"},
		{Count(1234567), "1,234,567"},
		{Number(0.0001), "0"},
		{Number(0.0123), "0.0123"},
		{Number(2.0000001), "2"},
		{Number(2.5), "2.50"},
		{Number(-1234), "-1,234"},
		{Number(123456.4), "123,456"},
		{Number(12_345_678), "12.3M"},
		{Number(1.5e10), "15.0G"},
		{Counted(1, "object", "objects"), "1 object"},
		{Counted(0.5, "object", "objects"), "0.5 objects"},
		{Digits(9.996), "10.0"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
