package main

import (
	"bufio"
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
	"internal/rig/oracle"}

// counts is a test of internal/engine that writes a table, which is shown.
const counts = "TestSpinSlots_loads"

// testOn runs the tests of guestPackages on a guest with so many cores, and then counts. With
// quick, only that.
func testOn(cores string, quick bool, timeout time.Duration) error {
	if err := need("qemu-system"); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "threadcall-guest")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	kernel, err := kernel()
	if err == nil {
		err = makeInitramfs(dir, quick, timeout)
	}
	if err != nil {
		return err
	}
	all := time.Duration(len(guestPackages)+1) * timeout
	c := exec.Command("timeout", fmt.Sprint(all.Seconds()), "qemu-system-x86_64", "-accel",
		"tcg,thread=multi", "-cpu", "max", "-smp", cores, "-m", "2G", "-nographic", "-no-reboot",
		"-nic", "none", "-kernel", kernel, "-initrd", filepath.Join(dir, "initramfs"),
		"-append", "console=ttyS0 quiet loglevel=1 panic=-1 tsc=reliable THREADCALL_TIME_LIMIT=5m")
	console, err := c.StdoutPipe()
	if err != nil {
		return err
	}
	c.Stderr = os.Stderr
	if err := c.Start(); err != nil {
		return err
	}
	err = readConsole(console, cores)
	if ended := c.Wait(); err == nil {
		err = ended
	}
	return err
}

// kernel returns the file of a kernel, which it takes out of Debian's package without installing
// that.
func kernel() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	const script = `mkdir -p "$0" && cd "$0" && ls boot/vmlinuz-* >/dev/null 2>&1 || {
		apt-get update -qq
		name=$(apt-cache depends linux-image-cloud-amd64 | sed -n 's/.*Depends: //p' | head -n 1)
		apt-get download -q "$name" && dpkg-deb -x "$name"_*.deb .
	} >&2
	ls "$0"/boot/vmlinuz-* | head -n 1`
	return run(exec.Command("sh", "-c", script, filepath.Join(cache, "threadcall", "kernel")))
}

// makeInitramfs builds all programs and writes what the guest has instead of a disk.
func makeInitramfs(dir string, quick bool, timeout time.Duration) error {
	root := filepath.Join(dir, "root")
	build := func(args ...string) error {
		c := exec.Command("go", args...)
		c.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "CGO_ENABLED=0")
		_, err := run(c)
		return err
	}
	if err := build("build", "-o", root+"/init", "./internal/rig/ports/guest"); err != nil {
		return err
	}
	programs := ""
	add := func(p, args string) {
		programs += fmt.Sprintf("/%s /%[1]s/test -test.timeout=%v %s\n", p, timeout, args)
	}
	for _, p := range guestPackages {
		if err := build("test", "-c", "-o", filepath.Join(root, p, "test"), "./"+p); err != nil {
			return err
		}
		data := filepath.Join(p, "testdata")
		if _, err := os.Stat(data); err == nil {
			if err := os.CopyFS(filepath.Join(root, data), os.DirFS(data)); err != nil {
				return err
			}
		}
		if !quick {
			add(p, "-test.short")
		}
	}
	add("internal/engine", "-test.v -test.run=^"+counts+"$")
	if err := os.WriteFile(filepath.Join(root, "programs"), []byte(programs), 0o666); err != nil {
		return err
	}
	pack := exec.Command("sh", "-c", "find . | cpio --quiet -o -H newc >../initramfs")
	pack.Dir = root
	_, err := run(pack)
	return err
}

// readConsole prints what the guest writes. It returns an error unless that has a line by which all
// programs have passed on so many cores.
func readConsole(console io.Reader, cores string) error {
	passed := false
	for lines := bufio.NewScanner(console); lines.Scan(); {
		line := strings.TrimSpace(lines.Text())
		passed = passed || line == "guest: all passed on "+cores+" cores"
		fmt.Println(line)
	}
	if !passed {
		return errors.New("not all programs have passed")
	}
	return nil
}
