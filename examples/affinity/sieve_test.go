package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func BenchmarkSieve(b *testing.B) {
	for _, w := range ways {
		b.Run(w.name, func(b *testing.B) {
			handovers := int64(0)
			for b.Loop() {
				_, n := sieve(*limit, special, w.open)
				handovers += n
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(handovers), "ns/handover")
		})
	}
}

func TestSieve_findsThePrimes(t *testing.T) {
	var primes []int
	for n := range 501 {
		divides := func(prime int) bool { return n%prime == 0 }
		if n >= 2 && !slices.ContainsFunc(primes, divides) {
			primes = append(primes, n)
		}
		if n%100 > 10 {
			continue
		}
		for _, w := range ways {
			if got, _ := sieve(n, special, w.open); !slices.Equal(got, primes) {
				t.Errorf("%s: the primes up to %d are not %d", w.text, n, got)
			}
		}
	}
}

func TestMoves_areNoneOnOneP(t *testing.T) {
	var handovers int64
	n, err := moves(1, func() { _, handovers = sieve(500, special, here) })
	if err != nil || n > int(handovers)/100 {
		t.Errorf("%d moves in %d handovers, %v", n, handovers, err)
	}
}

func TestPlot(t *testing.T) {
	results := filepath.Join(t.TempDir(), "results")
	var text strings.Builder
	for i, w := range ways {
		for _, suffix := range []string{"", "-2", "-4", "-8"} {
			fmt.Fprintf(&text, "BenchmarkSieve/%s%s 1 5 ns/op %d ns/handover 0 B/op\n", w.name, suffix,
				100+100*i)
		}
	}
	if err := os.WriteFile(results, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	times, err := timesIn(results)
	if err != nil {
		t.Fatal(err)
	}
	if v := times[3].values[1][0]; v != 4 {
		t.Errorf("%s has %v of the time of %s", times[3].name, v, times[0].name)
	}
	if v := times[5].values[1][0]; v != 8.26/18.7 {
		t.Errorf("%s has %v of its time on one P", times[5].name, v)
	}
	svg, err := picture(times, times[:4])
	if err != nil || regexp.MustCompile(`#0\d0\d`).Match(svg) ||
		!bytes.Contains(svg, []byte(">"+ways[3].text+"<")) {
		t.Errorf("%v, %s", err, svg)
	}
	if err := draw(os.DevNull, nil); err == nil {
		t.Error("a file without results is no error")
	}
}
