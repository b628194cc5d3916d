// The concurrent prime sieve, and how often its goroutines move between threads: alone, and with
// one filter that must run on a thread.
//
//	go -C examples/affinity run .
package main

import (
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
)

var (
	limit  = flag.Int("n", 4000, "the `number` up to which the sieve finds primes")
	rounds = flag.Int("rounds", 10, "how many traces to take of each sieve")
	plots  = flag.String("plot", "", "draw affinity.svg, and print the times in this `file` of "+
		"threadcall bench -o")
)

// special is the prime whose filter must run on a thread, the fourth.
const special = 7

// procs are the article's values of GOMAXPROCS.
var procs = [4]int{1, 2, 4, 8}

func main() {
	log.SetFlags(0)
	log.SetPrefix("affinity: ")
	flag.Parse()
	for _, name := range flag.Args() {
		if err := printMoves(name); err != nil {
			log.Fatal(err)
		}
	}
	if flag.NArg() > 0 {
		return
	}
	moves, err := measure()
	if err == nil && *plots != "" {
		err = draw(*plots, moves)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// printMoves prints the moves in a trace.
func printMoves(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	moved, ran, err := read(f)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	fmt.Printf("%s: goroutines began to run %d times, %d of them on another thread than before\n",
		name, ran, moved)
	return nil
}

// measure prints and returns the moves for every 1,000 handovers, for each of ways.
func measure() ([]series, error) {
	want, handovers := sieve(*limit, 0, nil)
	fmt.Printf("%d primes up to %d, %d handovers\n", len(want), *limit, handovers)
	all := make([]series, len(ways))
	sieves, wrong := 0, 0
	for j, p := range procs {
		for range max(1, *rounds) {
			for i, w := range ways {
				var got []int
				moved, err := moves(p, func() { got, _ = sieve(*limit, special, w.open) })
				if err != nil {
					return nil, err
				}
				all[i].name = w.text
				all[i].values[j] = append(all[i].values[j], 1000*float64(moved)/float64(handovers))
				if sieves++; !slices.Equal(got, want) {
					wrong++
				}
			}
		}
	}
	show(movesTitle+": median (and quartiles)", "%.0f", all)
	fmt.Printf("\naffinity: %d sieves, %d of them wrong\n", sieves, wrong)
	if wrong > 0 {
		return nil, errors.New("not all found the same primes")
	}
	return all, nil
}

// A series has values for each of procs.
type series struct {
	name   string
	values [4][]float64
}

// show prints values, or their medians and quartiles.
func show(title, format string, all []series) {
	fmt.Printf("\n%s\n\n%-16s", title, "GOMAXPROCS")
	for _, p := range procs {
		fmt.Printf("%21d", p)
	}
	for _, s := range all {
		fmt.Printf("\n%-16s", s.name)
		for _, v := range s.values {
			text := fmt.Sprintf(format, quantile(v, 0.5))
			if len(v) > 1 {
				text += fmt.Sprintf(" ("+format+" to "+format+")", quantile(v, 0.25), quantile(v, 0.75))
			}
			fmt.Printf("%21s", text)
		}
	}
	fmt.Println()
}

// quantile returns the value below which this part of all is.
func quantile(v []float64, part float64) float64 {
	return slices.Sorted(slices.Values(v))[int(float64(len(v)-1)*part)]
}
