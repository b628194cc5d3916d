package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// This file runs tests on a machine with more cores than this one has: a guest of qemu's, with
// Debian's kernel, the test programs and nothing else. Its cores are threads of qemu's, which share
// the cores that there are. So what runs there shows what is right and how often something happens,
// and not how long it takes.

var guestPackages = []string{"internal/callq", "internal/engine", "thread",
	"internal/verify/oracle"}

// counts is a test of internal/engine that writes a table, which is shown.
const counts = "TestSpinSlots_loads"

// testOn runs the tests of guestPackages on a guest with so many cores, and then counts. With
// quick, only that.
func testOn(cores string, quick bool, timeout time.Duration) (r result) {
	start := time.Now()
	r.port = port{system: "linux", processor: "amd64, " + cores + " cores"}
	r.err = r.runGuest(cores, quick, timeout)
	r.time = time.Since(start)
	r.print()
	return r
}

func (r *result) runGuest(cores string, quick bool, timeout time.Duration) error {
	const qemu = "qemu-system-x86_64"
	if err := need("qemu-system"); err != nil {
		return err
	}
	kernel, err := kernel()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "threadcall-guest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	initramfs := filepath.Join(dir, "initramfs")
	if err := makeInitramfs(dir, initramfs, quick, timeout); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(),
		time.Duration(len(guestPackages)+1)*timeout)
	defer cancel()
	c := exec.CommandContext(ctx, qemu, "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", cores,
		"-m", "2G",
		"-nographic", "-no-reboot", "-nic", "none", "-kernel", kernel, "-initrd", initramfs,
		"-append", "console=ttyS0 quiet loglevel=1 panic=-1 tsc=reliable THREADCALL_TIME_LIMIT=5m")
	console, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return err
	}
	r.on = strings.Join(strings.Fields(output(qemu, "--version"))[:4], " ")
	var table string
	table, r.output, err = readConsole(console, cores)
	fmt.Print(table)
	return errors.Join(err, c.Wait())
}

// kernel returns the file of a kernel, which it takes out of Debian's package without installing
// that.
func kernel() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "threadcall", "kernel")
	find := func() string {
		found, _ := filepath.Glob(filepath.Join(dir, "boot", "vmlinuz-*")) // the pattern is right
		return strings.Join(found[:min(1, len(found))], "")
	}
	if find() == "" {
		_, name, _ := strings.Cut(output("apt-cache", "depends", "linux-image-cloud-amd64"), "Depends: ")
		name, _, _ = strings.Cut(name, "\n")
		const script = `apt-get update -qq; mkdir -p "$0" && cd "$0" &&
			apt-get download -q "$1" && dpkg-deb -x "$1"_*.deb .`
		if out, err := exec.Command("sh", "-c", script, dir, name).CombinedOutput(); err != nil ||
			find() == "" {
			return "", fmt.Errorf("no kernel: %w\n%s", err, out)
		}
	}
	return find(), nil
}

// makeInitramfs builds all programs and writes what the guest has instead of a disk.
func makeInitramfs(dir, file string, quick bool, timeout time.Duration) error {
	var archive cpio
	build := func(name, pkg string, how ...string) {
		program := filepath.Join(dir, "program")
		c := exec.Command("go", append(how, "-o", program, pkg)...)
		c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		if out, err := c.CombinedOutput(); err != nil {
			archive.err = errors.Join(archive.err, fmt.Errorf("go build: %w\n%s", err, out))
		}
		archive.addFile(name, program)
	}
	build("init", "./internal/ports/guest", "build")
	var programs strings.Builder
	run := func(p string, args ...string) {
		fmt.Fprintf(&programs, "/%s /%[1]s/test -test.timeout=%v %s\n", p, timeout,
			strings.Join(args, " "))
	}
	for _, p := range guestPackages {
		build(p+"/test", "./"+p, "test", "-c")
		for _, pattern := range []string{"*", "*/*", "*/*/*"} {
			files, _ := filepath.Glob(filepath.Join(p, "testdata", pattern)) // the patterns are right
			for _, f := range files {
				if info, err := os.Stat(f); err == nil && info.Mode().IsRegular() {
					archive.addFile(f, f)
				}
			}
		}
		if !quick {
			run(p, "-test.short")
		}
	}
	run("internal/engine", "-test.v", "-test.run=^"+counts+"$")
	archive.add("programs", []byte(programs.String()), 0o644)
	archive.add("TRAILER!!!", nil, 0)
	return errors.Join(archive.err, os.WriteFile(file, archive.Bytes(), 0o666))
}

// A cpio is an archive of the kind that Linux unpacks at its start, "newc".
type cpio struct {
	bytes.Buffer
	made map[string]bool // directories
	node int
	err  error
}

func (a *cpio) addFile(name, file string) {
	content, err := os.ReadFile(file)
	a.err = errors.Join(a.err, err)
	a.add(name, content, 0o755)
}

func (a *cpio) add(name string, content []byte, mode int) {
	const regular, directory = 0o100000, 0o040000
	if dir := filepath.Dir(name); dir != "." && !a.made[dir] {
		if a.made == nil {
			a.made = map[string]bool{}
		}
		a.made[dir] = true
		a.add(dir, nil, directory|0o755)
	}
	if mode&directory == 0 {
		mode |= regular
	}
	a.node++
	pad := func() { a.Write(make([]byte, -a.Len()&3)) }
	fmt.Fprintf(a, "070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x", a.node, mode, 0, 0, 1,
		0, len(content), 0, 0, 0, 0,
		len(name)+1, 0)
	a.WriteString(name + "\x00")
	pad()
	a.Write(content)
	pad()
}

// readConsole reads what the guest writes: the rows of tables, all else, and an error unless all
// programs have passed on so many cores.
func readConsole(console io.Reader, cores string) (table, rest string, err error) {
	began, passed := 0, 0
	for lines := bufio.NewScanner(console); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		switch {
		case strings.HasPrefix(line, "| "):
			table += line + "\n"
		case strings.HasPrefix(line, "== cores ") && line != "== cores "+cores:
			err = errors.New("the guest has another number of cores")
		case strings.HasPrefix(line, "== begin "):
			began++
		case line == "== end true":
			passed++
		}
		rest += line + "\n"
	}
	if err == nil && (began == 0 || began != passed) {
		err = fmt.Errorf("%d of %d programs have passed", passed, began)
	}
	return table, rest, err
}
