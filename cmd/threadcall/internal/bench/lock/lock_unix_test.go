//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package lock

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestWhatTheHolderHasStartedDoesNotProlongTheLock(t *testing.T) {
	newQueue(t)
	cmd := command(Exclusive)
	cmd.Env = append(cmd.Env, startsChild+"=1")
	a := startCommand(t, cmd)
	var child int
	if _, err := fmt.Sscanf(<-a.lines, "child %d", &child); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { syscall.Kill(child, syscall.SIGKILL) })
	a.says("has")
	b := start(t, Exclusive)
	b.says("waits 1")
	a.kill()
	b.says("has")
	if err := syscall.Kill(child, 0); err != nil {
		t.Error("the child has ended, so this shows nothing:", err)
	}
}

func TestHostDirectoryMustBeEveryones(t *testing.T) {
	for _, mode := range []fs.FileMode{0o755, 0o777, 0o700 | fs.ModeSticky} {
		dir := filepath.Join(t.TempDir(), "queue")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, mode); err != nil {
			t.Fatal(err)
		}
		if _, err := openDir(dir, false, true); err == nil || !strings.Contains(err.Error(), "remove it") {
			t.Errorf("%v: %v", mode, err)
		}
	}
	dir := filepath.Join(t.TempDir(), "queue")
	q, err := openDir(dir, false, true)
	if err != nil {
		t.Fatal(err)
	}
	q.close()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	if _, err := openDir(link, false, true); err == nil || !strings.Contains(err.Error(), "remove it") {
		t.Errorf("a link: %v", err)
	}
}

func TestLinksThatLeadOutAreNotFollowed(t *testing.T) {
	for _, name := range []string{gateName, machineName} {
		dir := newQueue(t)
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		outside := filepath.Join(filepath.Dir(dir), "outside")
		if err := os.Symlink(outside, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
		if l, err := Acquire(t.Context(), Exclusive, "", nil); err == nil {
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
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(dir, "ticket-1-exclusive"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "ticket-2-exclusive"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(dir, "ticket-3-exclusive")); err != nil {
		t.Fatal(err)
	}
	start(t, Exclusive).says("has")
	if all, err := List(); err != nil || len(all) != 1 {
		t.Error(all, err)
	}
}

func TestAWaiterWhoseTicketIsRemovedQueuesAgain(t *testing.T) {
	dir := newQueue(t)
	a := start(t, Exclusive)
	a.says("has")
	b := start(t, Exclusive)
	b.says("waits 1")
	if err := os.Remove(filepath.Join(dir, "ticket-2-exclusive")); err != nil {
		t.Fatal(err)
	}
	b.says("waits 1")
	b.isSilent()
	a.leave()
	b.says("has")
}

func TestTheMachineIsNotHadTwiceThoughTheQueueIsTamperedWith(t *testing.T) {
	dir := newQueue(t)
	a := start(t, Exclusive)
	a.says("has")
	if err := os.Remove(filepath.Join(dir, "ticket-1-exclusive")); err != nil {
		t.Fatal(err)
	}
	b := start(t, Exclusive)
	b.says("waits 0")
	b.isSilent()
	a.leave()
	b.says("has")
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
	copyFile(t, os.Args[0], binary)
	other := func() *contender {
		cmd := command(Exclusive)
		cmd.Path, cmd.Dir = binary, "/"
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		return startCommand(t, cmd)
	}
	old := syscall.Umask(0o077)
	defer syscall.Umask(old)

	a := start(t, Exclusive) // makes the directory and its files
	a.says("has")
	b := other()
	b.says("waits 1")
	c := start(t, Exclusive)
	c.says("waits 2")
	a.leave()
	b.says("has")
	c.says("waits 1")
	all, err := List()
	if err != nil || len(all) != 2 || all[0].User == all[1].User || all[0].PID != b.cmd.Process.Pid {
		t.Error(all, err)
	}
	b.kill() // its ticket stays, for nobody but root may remove it
	c.says("has")
	d := other()
	d.says("waits 1")
	c.kill()
	d.says("has") // and does not wait for root's, which it cannot remove
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Chmod(0o755); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
