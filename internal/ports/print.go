package main

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// print writes a line, and what went wrong.
func (r result) print(out io.Writer) {
	if r.left != "" {
		fmt.Fprintf(out, "LEFT OUT %s: %s\n", r.port, r.left)
		return
	}
	mark := "ok  "
	if !r.ok() {
		mark = "FAIL"
	}
	fmt.Fprintf(out, "%s %-14s %-26s %4d passed, %2d skipped, %d failed  %5.0f s\n", mark, r.port, r.on, r.passed, r.skipped,
		r.failed, r.time.Seconds())
	for _, reason := range slices.Sorted(maps.Keys(r.reasons)) {
		fmt.Fprintf(out, "     %d skipped: %s\n", r.reasons[reason], reason)
	}
	if !r.ok() {
		fmt.Fprintln(out, r.output)
	}
}

// table writes all results below each other.
func table(out io.Writer, results []result) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "port\truns\tpassed\tskipped\tfailed\tseconds")
	for _, r := range results {
		if r.left != "" {
			fmt.Fprintf(w, "%s\tnot run\t\t\t\t\n", r.port)
			continue
		}
		fmt.Fprintf(w, "%s\t%s\t%d\t%d\t%d\t%.0f\n", r.port, r.on, r.passed, r.skipped, r.failed, r.time.Seconds())
	}
	_ = w.Flush() // what print has written went there, too
}

// page is the table with what a reader should know.
func page(results []result) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `# Ports

The tests run on all of these, they are not only compiled for them. %smake ports-table%s wrote this page on %s, with %s on
%d cores:

| port | runs | passed | skipped | failed | seconds |
| --- | --- | --- | --- | --- | --- |
`, "`", "`", time.Now().UTC().Format(time.DateOnly), runtime.Version(), runtime.NumCPU())
	reasons := map[string][]string{}
	for _, r := range results {
		if r.left != "" {
			reason, _, _ := strings.Cut(r.left, "\n")
			fmt.Fprintf(&b, "| %s | not run: %s | | | | |\n", r.port, reason)
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %d | %d | %d | %.0f |\n", r.port, r.on, r.passed, r.skipped, r.failed, r.time.Seconds())
		for reason, n := range r.reasons {
			reasons[reason] = append(reasons[reason], fmt.Sprintf("%s (%d)", r.port, n))
		}
	}
	b.WriteString("\nTests count with their subtests, run with `-short`; the seconds include compiling. Skipped, and where:\n\n")
	for _, reason := range slices.Sorted(maps.Keys(reasons)) {
		where := strings.Join(reasons[reason], ", ")
		if len(reasons[reason]) == len(results) {
			where = "everywhere"
		}
		fmt.Fprintf(&b, "- %s: %s\n", reason, where)
	}
	b.WriteString(remarks)
	return b.Bytes()
}

// remarks are what no run can find out.
const remarks = `
linux/amd64 is what all other targets of the Makefile run on.

## What it takes

` + "`make ports`" + ` needs qemu-user, Node, Wine and a linker for Windows, which ` + "`.ci/setup`" + ` installs; it prints what it leaves
out. ` + "`make ports-quick`, which is part of `make test`" + `, runs only the packages with assembly and the queue. One port:
` + "`go run ./internal/ports linux/s390x`" + `.

**qemu-user** emulates the processor and hands system calls to this kernel. Signals, futexes and threads are this machine's, so
asynchronous preemption and wake-ups are tried for real; the memory model is not, because every load and store is an amd64
one. A program for another processor cannot start itself: ` + "`THREADCALL_EMULATOR`" + ` tells the tests what can.

Version 7.2 does not write the address of a fault where programs for arm, ppc64 and ppc64le look for it, and any Go program that
dereferences nil there panics or crashes as what was left in that place will have it. Those tests are left out on the three.

**riscv64**: Go's clone (runtime/sys_linux_riscv64.s, Go 1.26) returns zero to the parent whatever the system said. If the system
refuses a thread, the process does not end as on other ports, but waits for it for ever. That is so without an emulator, too.

**Wine** before version 9 lacks bcryptprimitives.dll, and no Go program starts. ` + "`make ports`" + ` gives it a library that forwards
the one function to advapi32.dll, linked by GNU ld from three lines, in a directory of its own under the user's cache. Debian's
Wine runs 32-bit programs only with packages of another architecture; windows/386 is compiled and not run, nor is
windows/arm64.

**js/wasm** has one thread. runtime.LockOSThread holds nothing there, but it counts, for all goroutines together, and a
coroutine of iter.Pull insists on the count at which it was made, so threadcall does not lock. A coroutine inside a call
is not known to be on the thread, and waits for ever if it calls it. The tests of these are skipped.
Nothing takes the P from a goroutine that computes, so tests with such goroutines are skipped as well.

` + "**More cores** than this machine has: `make ports-cores` runs the tests of `callq`, `engine`, `thread` and `oracle`" + ` on machines of
qemu-system-x86, with Debian's kernel for clouds, which is taken out of its package and not installed, and the test programs. The
emulated cores take turns on those of this machine, so what is right there means something and what is counted does, but times do not; see
[cores.md](cores.md).

**macOS, FreeBSD, NetBSD and OpenBSD** are compiled with their tests and vetted (` + "`make cross`" + `), and run nowhere here: there
is no emulation of their kernels short of a whole machine.

## What the assembly is asked

` + "`internal/ident`" + ` on each port: that the number begins a g whose stack bounds hold the goroutine's own variables, that it is
the same on a grown stack, on another thread, after a signal and after preemption, and another for each living goroutine and
coroutine. ` + "`internal/park`" + `: that Pause returns, allocates nothing and leaves registers alone.
`
