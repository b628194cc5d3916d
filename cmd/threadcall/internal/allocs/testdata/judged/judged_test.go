package judged

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

var (
	short, long = "abc", strings.Repeat("x", 100)
	own         = pair{1, 2}
	buffer      = make([]byte, 0, 200)
	garbage     [][]byte
)

var total adder

// cases call each function, in the benchmark by small, and with what it needs the most memory for by
// worst.
var cases = []struct {
	name         string
	small, worst func()
}{
	{"toBytes", func() { toBytes(short) }, func() { toBytes(long) }},
	{"join", func() { join(short, short) }, func() { join(long, long) }},
	{"makeLocal", func() { makeLocal(2) }, func() { makeLocal(100) }},
	{"localMap", func() { localMap(3) }, func() { localMap(100) }},
	{"appendLocal", func() { appendLocal(2) }, func() { appendLocal(100) }},
	{"boxInt", func() { boxInt(1) }, func() { boxInt(1000) }},
	{"boxLarge", func() { boxLarge(large{}) }, func() { boxLarge(large{}) }},
	{"newTiny", newTiny, newTiny},
	{"capture", func() { capture(1) }, func() { capture(1) }},
	{"pair.moved", func() { own.moved() }, func() { own.moved() }},
	{"inlines", func() { inlines(1) }, func() { inlines(1) }},
	{"format", func() { format(1 << 62) }, func() { format(1 << 62) }},
	{"callee", func() { callee(short) }, func() { callee(long) }},
	{"wraps", func() { wraps(0) }, func() { wraps(1000) }},
	{"makeChannel", makeChannel, makeChannel},

	{"boxByte", func() { boxByte(200) }, func() { boxByte(200) }},
	{"boxConstant", boxConstant, boxConstant},
	{"appendRoom", func() { appendRoom(buffer) }, func() { appendRoom(buffer[:100]) }},
	{"assign", func() { assign(1) }, func() { assign(1) }},
	{"rangeBytes", func() { rangeBytes(short) }, func() { rangeBytes(long) }},
	{"takeAndGive", func() { takeAndGive() }, func() { takeAndGive() }},
	{"checked", func() { checked(1) }, func() { checked(1000) }},
	{"fixed", func() { fixed(1) }, func() { fixed(99) }},
	{"captureNothing", captureNothing, captureNothing},
	{"calls", func() { calls(func() { garbage = make([][]byte, 9) }) }, func() { calls(captureNothing) }},
	{"emit", func() { emit(&total) }, func() { emit(&total) }},
	{"locked", locked, locked},
	{"sendAndReceive", func() { sendAndReceive(1) }, func() { sendAndReceive(1000) }},
	{"excused", func() { excused(1) }, func() {}},
}

// TestJudge writes what testing.AllocsPerRun says of each function.
func TestJudge(t *testing.T) {
	for _, c := range cases {
		fmt.Println("JUDGE", c.name, testing.AllocsPerRun(100, c.worst))
	}
}

// BenchmarkTogether calls all, so that tiny objects of different functions share blocks.
func BenchmarkTogether(b *testing.B) {
	for b.Loop() {
		for _, c := range cases {
			c.small()
		}
	}
}

// BenchmarkGarbage takes from the pool while garbage is made, which empties it with each collection.
func BenchmarkGarbage(b *testing.B) {
	for range b.N {
		takeAndGive()
		garbage = append(garbage[:0], make([]byte, 1<<17))
	}
}

// BenchmarkParallel takes from the pool on several threads.
func BenchmarkParallel(b *testing.B) {
	b.RunParallel(func(p *testing.PB) {
		for p.Next() {
			takeAndGive()
			locked()
		}
	})
}

// BenchmarkPanics must not hide what the others call, nor be taken for one that has passed: package
// testing ends the process before this panic does.
func BenchmarkPanics(b *testing.B) {
	if os.Getenv("JUDGED_PANICS") != "" {
		panic(late{})
	}
}

type late struct{}

func (late) Error() string {
	time.Sleep(time.Minute)
	return "requested to panic"
}
