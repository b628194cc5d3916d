package behaviours

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	fmt.Println("BenchmarkNot a benchmark, but printed by TestMain")
	os.Exit(m.Run())
}

func BenchmarkFine(b *testing.B) {
	for range b.N {
	}
}

// BenchmarkSubs has parts that fail and panic among good ones.
func BenchmarkSubs(b *testing.B) {
	b.Run("a", BenchmarkFine)
	b.Run("b", func(b *testing.B) { b.Fatal("b does not work") })
	b.Run("size-2", func(b *testing.B) { panic(fmt.Sprint("c is", " worse")) })
	b.Run("d/1", BenchmarkFine)
}

// BenchmarkNames has sub-benchmarks whose names mean something in patterns, and some of the same name.
func BenchmarkNames(b *testing.B) {
	for _, name := range []string{"a|b", "a", "a", "(x)/[y", "", "two words", `back\\slash$`, "size-2"} {
		b.Run(name, BenchmarkFine)
	}
}

func BenchmarkSkipped(b *testing.B) { b.Skip("not on this machine") }

// BenchmarkPrints writes to standard output what should not be there.
func BenchmarkPrints(b *testing.B) {
	b.Run("lines", func(b *testing.B) {
		fmt.Println("Benchmarks are fun")
		fmt.Println("100 lines")
		for range b.N {
		}
	})
	b.Run("half", func(b *testing.B) {
		fmt.Print("and so on...")
		for range b.N {
		}
	})
	b.Run("long", func(b *testing.B) {
		fmt.Println(strings.Repeat("and on ", 10_000))
		for range b.N {
		}
	})
	b.Run("silent", BenchmarkFine)
}

func BenchmarkMetadata(b *testing.B) {
	fmt.Println("\nUnit frames/s better=higher")
	for range b.N {
	}
	b.ReportMetric(60, "frames/s")
}

func BenchmarkExits(b *testing.B) { os.Exit(0) }

func BenchmarkHangs(b *testing.B) { time.Sleep(time.Hour) }

func BenchmarkDeadlocks(b *testing.B) { <-make(chan int) }

func BenchmarkPanicsLate(b *testing.B) {
	if b.N > 1 {
		var m map[string]int
		m["x"] = 1
	}
}

// BenchmarkReads wants to run where its package is.
func BenchmarkReads(b *testing.B) {
	text, err := os.ReadFile("input.txt")
	if err != nil || strings.TrimSpace(string(text)) != "here" {
		b.Fatal(string(text), err)
	}
	for range b.N {
	}
}

func BenchmarkMissing(b *testing.B) { b.FailNow() }
