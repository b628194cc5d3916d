// Command ports runs the tests on every port that this machine can run: natively, under qemu-user,
// under Node and under Wine. What is missing, .ci/setup installs; it prints what it leaves out.
//
//	go run ./internal/rig/ports               all ports, all tests with -short
//	go run ./internal/rig/ports linux/s390x   one port
//	go run ./internal/rig/ports -quick        the packages with assembly and the queue
//	go run ./internal/rig/ports -app          app and nativeloop on Windows, on a screen
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"
)

func main() {
	quick := flag.Bool("quick", false, "only the packages that depend on the processor most, and "+
		"only what is quickly installed")
	timeout := flag.Duration("timeout", 30*time.Minute, "how long the tests of one package may take")
	app := flag.Bool("app", false, "test modules app and nativeloop under Wine, and nothing else")
	flag.Parse()
	ok := false
	if *app {
		windows := port{"windows", "amd64", windowsWithScreen}
		oneByOne := []string{"-p=1", "./nativeloop", "./app/..."} // both need the keyboard
		ok = windows.test(false, oneByOne, *timeout)
	} else {
		ok = testAll(*quick, *timeout, flag.Args())
	}
	if !ok {
		os.Exit(1)
	}
}

// A port is a system and a processor, and what runs its programs here.
type port struct {
	system, processor string
	on                func(quick bool) (*command, error) // installs what is missing
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
	quickPackages = []string{"./internal/ident", "./internal/park", "./internal/cores",
		"./internal/sched", "./internal/callq", "./osthread"}
)

// testAll tests the wanted ports, or all.
func testAll(quick bool, timeout time.Duration, wanted []string) bool {
	tested := packages
	if quick {
		tested = quickPackages
	}
	for _, w := range wanted {
		if !slices.ContainsFunc(ports, func(p port) bool { return p.String() == w }) {
			fmt.Fprintf(os.Stderr, "ports: no port is called %q; there are %v\n", w, ports)
			os.Exit(2)
		}
	}
	ok := true
	for _, p := range ports {
		if len(wanted) == 0 || slices.Contains(wanted, p.String()) {
			ok = p.test(quick, tested, timeout) && ok
		}
	}
	return ok
}

// test runs the tests of packages on p, if it can. It prints a line, and what went wrong.
func (p port) test(quick bool, packages []string, timeout time.Duration) (ok bool) {
	start := time.Now()
	on, err := p.on(quick)
	if err != nil {
		fmt.Printf("LEFT OUT %s: %s\n", p, err)
		return true
	}
	if on.end != nil {
		defer on.end()
	}
	args := []string{"test", "-short", "-count=1", "-timeout", timeout.String()}
	if len(on.program) > 0 {
		args = append(args, "-exec", strings.Join(on.program, " "))
	}
	c := exec.Command("go", append(args, packages...)...)
	c.Env = append(os.Environ(), "GOOS="+p.system, "GOARCH="+p.processor, "CGO_ENABLED=0")
	c.Env = append(c.Env, on.env...)
	_, err = run(c)
	took := time.Since(start).Seconds()
	if err != nil {
		fmt.Printf("FAIL %-14s %-26s %5.0f s: %v\n", p, on.name, took, err)
		return false
	}
	fmt.Printf("ok   %-14s %-26s %5.0f s\n", p, on.name, took)
	return true
}
