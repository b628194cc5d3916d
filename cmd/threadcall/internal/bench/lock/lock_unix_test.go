//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestAProcessThatTheHolderHasStartedDoesNotProlongTheLock(t *testing.T) {
	newQueue(t)
	a := start(t, "child")
	var child int
	if _, err := fmt.Sscanf(<-a.lines, "child <nil> %d", &child); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(child, syscall.SIGKILL) })
	a.prints("holds")
	b := start(t)
	b.prints("waits 1")
	a.kill()
	b.prints("holds")
	if err := syscall.Kill(child, 0); err != nil {
		t.Error("the child has ended, so this shows nothing:", err)
	}
}

func TestTheCommonDirectoryMustBeOneForAll(t *testing.T) {
	refused := func(dir string) {
		t.Helper()
		if _, err := openDir(dir, false, true); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Error(err)
		}
	}
	for _, mode := range []fs.FileMode{0o755, 0o777, 0o700 | fs.ModeSticky} {
		dir := t.TempDir()
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		refused(dir)
	}
	dir := filepath.Join(t.TempDir(), "queue")
	q, err := openDir(dir, false, true)
	if err != nil {
		t.Fatal(err)
	}
	q.root.Close()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	refused(link)
}

func TestALinkOutOfTheDirectoryIsNotFollowed(t *testing.T) {
	for _, name := range []string{"gate", "machine"} {
		dir := newQueue(t)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		outside := filepath.Join(filepath.Dir(dir), "outside")
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if l, err := Acquire(t.Context(), "", func([]Entry) {}); err == nil {
			l.Release()
			t.Errorf("%s was taken for a file", name)
		}
		if _, err := os.Lstat(outside); err == nil {
			t.Errorf("%s: a file was made outside", name)
		}
	}
}

func TestWhatIsNoTicketIsPassedOver(t *testing.T) {
	dir := newQueue(t)
	if err := os.MkdirAll(filepath.Join(dir, "ticket-2"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "ticket-1"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "ticket-3")); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"ticket-x", "ticket-01", "ticket-18446744073709551615", "ticket-5-shared"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	start(t).prints("holds")
	if all, err := List(); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
}

func TestTheMachineIsNotHeldTwiceThoughATicketIsRemoved(t *testing.T) {
	dir := newQueue(t)
	a := start(t)
	a.prints("holds")
	if err := os.Remove(filepath.Join(dir, "ticket-1")); err != nil {
		t.Fatal(err)
	}
	b := start(t)
	b.prints("waits 0")
	b.isSilent()
	a.leave()
	b.prints("holds")
}

func TestUsersQueueTogether(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root, to be two users")
	}
	dir := newQueue(t)
	// The other user must be able to start the test binary.
	public := filepath.Dir(dir)
	for d := public; d != filepath.Dir(os.TempDir()) && d != "/"; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err == nil && info.Mode()&0o005 != 0o005 {
			if err := os.Chmod(d, info.Mode()|0o055); err != nil {
				t.Fatal(err)
			}
		}
	}
	binary := filepath.Join(public, "contender")
	text, err := os.ReadFile(os.Args[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(binary, text, 0o755); err != nil {
		t.Fatal(err)
	}
	other := func() *contender {
		cmd := exec.Command(binary, "contend")
		cmd.Dir = "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		return startCommand(t, cmd)
	}
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)

	a := start(t) // makes the directory and its files
	a.prints("holds")
	b := other()
	b.prints("waits 1")
	c := start(t)
	c.prints("waits 2")
	a.leave()
	b.prints("holds")
	c.prints("waits 1")
	all, err := List()
	if err != nil || len(all) != 2 || all[0].User == all[1].User || all[0].PID != b.cmd.Process.Pid {
		t.Error(all, err)
	}
	b.kill() // its ticket stays: only root may remove it
	c.prints("holds")
	d := other()
	d.prints("waits 1")
	c.kill()
	d.prints("holds") // and does not wait for root's, which it cannot remove
}
