// Command ports runs the tests on every port that this machine can run: natively, under qemu-user, under Node and under
// Wine. What is missing, .ci/setup installs; it prints what it leaves out.
//
//	go run ./internal/ports                     all ports, all tests with -short
//	go run ./internal/ports linux/s390x         one port
//	go run ./internal/ports -quick              the packages with assembly and the queue, in seconds a port
//	go run ./internal/ports -write docs/ports.md
//	go run ./internal/ports -cores 8,32         on machines with more cores, which qemu emulates; see cores.go
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "only the packages that depend on the processor most, and only what is quickly installed")
	write := flag.String("write", "", "write the results as a page to this `file`")
	timeout := flag.Duration("timeout", 10*time.Minute, "how long the tests of one package may take")
	cores := flag.String("cores", "", "run the engine's tests on emulated machines with so many cores, a `list` like 8,32, and nothing else")
	flag.Parse()
	if *cores != "" {
		if !runOn(strings.Split(*cores, ","), *quick, *timeout) {
			os.Exit(1)
		}
		return
	}
	if !run(*quick, *write, *timeout, flag.Args()) {
		os.Exit(1)
	}
}

// The packages, and those among them that quick runs.
var (
	packages      = []string{"./internal/...", "./thread", "./mainthread"}
	quickPackages = []string{"./internal/ident", "./internal/park", "./internal/callq"}
)

// run tells whether all tests passed that could be run.
func run(quick bool, write string, timeout time.Duration, wanted []string) bool {
	tested := packages
	if quick {
		tested = quickPackages
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(ports, func(p port) bool { return p.String() == w }) {
			fmt.Fprintf(os.Stderr, "ports: no port is called %q; there are %v\n", w, ports)
			return false
		}
	}
	var results []result
	for _, p := range ports {
		if len(wanted) > 0 && !slices.Contains(wanted, p.String()) {
			continue
		}
		r := result{port: p}
		on, err := p.on.prepare(quick)
		if err != nil {
			r.left = err.Error()
		} else {
			r = test(p, on, tested, timeout)
		}
		r.print(os.Stdout)
		results = append(results, r)
		if write == "" {
			continue
		}
		if err := os.WriteFile(write, page(results), 0o666); err != nil {
			fmt.Fprintf(os.Stderr, "ports: %v\n", err)
			return false
		}
	}
	return conclude(results)
}

// runOn tells whether all tests passed on machines with so many cores.
func runOn(cores []string, quick bool, timeout time.Duration) bool {
	var results []result
	for _, n := range cores {
		r := testOn(n, quick, timeout)
		r.print(os.Stdout)
		results = append(results, r)
	}
	return conclude(results)
}

func conclude(results []result) bool {
	fmt.Println()
	table(os.Stdout, results)
	return !slices.ContainsFunc(results, func(r result) bool { return !r.ok() })
}
