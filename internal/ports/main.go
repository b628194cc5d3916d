// Command ports runs the tests on every port that this machine can run: natively, under qemu-user, under Node and under
// Wine. What is missing, .ci/setup installs; it prints what it leaves out.
//
//	go run ./internal/ports                     all ports, all tests with -short
//	go run ./internal/ports linux/s390x         one port
//	go run ./internal/ports -quick              the packages with assembly and the queue, in seconds a port
//	go run ./internal/ports -cores 8,32         on machines with more cores, which qemu emulates; see cores.go
//	go run ./internal/ports -app                module app on Windows; see app.go
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
	timeout := flag.Duration("timeout", 10*time.Minute, "how long the tests of one package may take")
	cores := flag.String("cores", "", "run the engine's tests on emulated machines with so many cores, a `list` like 8,32, and nothing else")
	windows := flag.Bool("app", false, "test module app under Wine, on the screen of DISPLAY, and nothing else")
	flag.Parse()
	ok := true
	switch {
	case *windows:
		ok = runApp(*timeout)
	case *cores == "":
		ok = run(*quick, *timeout, flag.Args())
	default:
		for n := range strings.SplitSeq(*cores, ",") {
			r := testOn(n, *quick, *timeout)
			r.print(os.Stdout)
			ok = ok && r.ok()
		}
	}
	if !ok {
		os.Exit(1)
	}
}

// A port is a system and a processor, and what runs its programs here.
type port struct {
	system, processor string
	on                func(quick bool) (*command, error) // installs what is missing, if it may and, with quick, if that is quick
}

func (p port) String() string { return p.system + "/" + p.processor }

// ports has one for each file of assembly in internal/ident at least.
var ports = []port{
	{"linux", "386", native},
	{"linux", "arm64", qemu("aarch64")},
	{"linux", "arm", qemu("arm")},
	{"linux", "riscv64", qemu("riscv64")},
	{"linux", "loong64", qemu("loongarch64")},
	{"linux", "ppc64le", qemu("ppc64le")},
	{"linux", "ppc64", qemu("ppc64")},
	{"linux", "s390x", qemu("s390x")},
	{"linux", "mips64le", qemu("mips64el")},
	{"linux", "mips64", qemu("mips64")},
	{"linux", "mipsle", qemu("mipsel")},
	{"linux", "mips", qemu("mips")},
	{"js", "wasm", node},
	{"windows", "amd64", windows},
}

// The packages, and those among them that quick runs.
var (
	packages      = []string{"./internal/...", "./thread", "./keyed", "./mainthread", "./osthread"}
	quickPackages = []string{"./internal/ident", "./internal/park", "./internal/callq", "./osthread"}
)

// run reports whether all tests passed that could be run.
func run(quick bool, timeout time.Duration, wanted []string) bool {
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
	ok := true
	for _, p := range ports {
		if len(wanted) > 0 && !slices.Contains(wanted, p.String()) {
			continue
		}
		r := result{port: p}
		on, err := p.on(quick)
		if err != nil {
			r.left = err.Error()
		} else {
			r = test(p, on, tested, timeout)
		}
		r.print(os.Stdout)
		ok = ok && r.ok()
	}
	return ok
}
