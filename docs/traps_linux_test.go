//go:build amd64 || arm64

package docs

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/keyed"
	"github.com/threadcall/threadcall/thread"
)

// The code of traps.md, which TestPages_quoteTests compares.

// restrict forbids the calling thread to read directories (Landlock). Only the end of the thread
// undoes it.
func restrict() error {
	const createRuleset, restrictSelf, readDir, noNewPrivileges = 444, 446, 1 << 3, 38
	handled := [1]uint64{readDir}
	fd, _, errno := syscall.Syscall(createRuleset, uintptr(unsafe.Pointer(&handled)), 8, 0)
	if errno != 0 {
		return errno
	}
	defer syscall.Close(int(fd))
	_, _, _ = syscall.Syscall6(syscall.SYS_PRCTL, noNewPrivileges, 1, 0, 0, 0, 0)
	if _, _, errno := syscall.Syscall(restrictSelf, fd, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func TestTraps_aGoroutineIsElsewhere(t *testing.T) {
	outside := make(chan error)
	sandbox, err := thread.Start(thread.WithStart(restrict))
	if err != nil {
		t.Skip("NOT TESTED: Landlock: ", err)
	}
	defer sandbox.Close()
	var inside error
	sandbox.Call(func() {
		_, inside = os.ReadDir("/etc") // permission denied
		go func() {
			_, err := os.ReadDir("/etc") //threadcall:ignore it is not restricted
			outside <- err
		}()
	})
	if err := <-outside; err != nil || !errors.Is(inside, os.ErrPermission) {
		t.Errorf("a goroutine: %v; the function: %v", err, inside)
	}
}

// twoSpaces are the threads of two new network namespaces, whose names are those of keys.
func twoSpaces(t *testing.T) *keyed.Threads[string] {
	spaces := keyed.New(func(string) error {
		if err := syscall.Unshare(syscall.CLONE_NEWNET); err != nil {
			return err
		}
		return loopbackUp()
	})
	t.Cleanup(spaces.Close)
	for _, name := range []string{"blue", "green"} {
		if err := spaces.Call(t.Context(), name, func() error { return nil }); err != nil {
			t.Skip("NOT TESTED: network namespaces need root: ", err)
		}
	}
	return spaces
}

func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return err
	}
	defer syscall.Close(fd)
	request := [40]byte{'l', 'o', 16: syscall.IFF_UP}
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return errno
	}
	return nil
}

// serve has servers at the same address in all namespaces: of web pages, which name the namespace,
// and of names.
func serve(t *testing.T, spaces *keyed.Threads[string], names ...string) (web, dns string) {
	web, dns = "127.0.0.1:0", "127.0.0.1:0"
	for _, name := range names {
		var l net.Listener
		var p net.PacketConn
		if err := spaces.Call(t.Context(), name, func() (err error) {
			if l, err = net.Listen("tcp", web); err == nil {
				p, err = net.ListenPacket("udp", dns)
			}
			return err
		}); err != nil {
			t.Fatal(err)
		}
		web, dns = l.Addr().String(), p.LocalAddr().String()
		s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, name)
		})}
		go func() { _ = s.Serve(l) }()
		go answer(p)
		t.Cleanup(func() { s.Close(); p.Close() })
	}
	return web, dns
}

// answer answers all questions for addresses (A) with 127.0.0.1, and others with nothing.
func answer(p net.PacketConn) {
	const header, address = 12, 1
	query := make([]byte, 512)
	for {
		n, from, err := p.ReadFrom(query)
		if err != nil {
			return
		}
		end := header + bytes.IndexByte(query[header:n], 0) + 5 // of the question
		reply := append(query[:2:2], 0x81, 0x80, 0, 1, 0, 0, 0, 0, 0, 0)
		reply = append(reply, query[header:end]...)
		if binary.BigEndian.Uint16(query[end-4:]) == address {
			reply[7] = 1
			reply = append(reply, 0xc0, header, 0, address, 0, 1, 0, 0, 0, 60, 0, 4, 127, 0, 0, 1)
		}
		_, _ = p.WriteTo(reply, from)
	}
}

func TestTraps_HTTPInTwoNamespaces(t *testing.T) {
	spaces := twoSpaces(t)
	web, nameserver := serve(t, spaces, "blue", "green")
	_, port, _ := net.SplitHostPort(web)
	url := "http://a.name.example:" + port
	for _, space := range []string{"blue", "green"} {
		dialer := &net.Dialer{FallbackDelay: -1} // no goroutine for a second address
		dial := func(ctx context.Context, network, address string) (c net.Conn, err error) {
			err = spaces.Call(ctx, space, func() (err error) {
				c, err = dialer.DialContext(ctx, network, address) // an address, no name
				return err
			})
			return c, err
		}
		resolver := &net.Resolver{PreferGo: true,
			Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return dial(ctx, network, nameserver)
			}}
		client := &http.Client{Transport: &http.Transport{
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				host, port, _ := net.SplitHostPort(address)
				all, err := resolver.LookupHost(ctx, host) // outside of the call, as it makes some
				if err != nil {
					return nil, err
				}
				return dial(ctx, network, net.JoinHostPort(all[0], port)) // or the next
			}}}
		for range 20 { // on any thread of the runtime
			client.CloseIdleConnections()
			response, err := client.Get(url)
			if err != nil {
				t.Fatal(err)
			}
			var body bytes.Buffer
			_, _ = body.ReadFrom(response.Body)
			response.Body.Close()
			if body.String() != space {
				t.Errorf("in %s answers %q", space, &body)
			}
		}
		err := spaces.Call(t.Context(), space, func() error {
			response, err := http.Get("http://" + web)
			if err == nil {
				response.Body.Close()
			}
			return err
		})
		if err == nil {
			t.Error("a request in the call dials in the namespace, although on another goroutine")
		}
	}
}

// setns is unix.Setns(int(f.Fd()), unix.CLONE_NEWNET).
func setns(f *os.File) error {
	number := map[string]uintptr{"amd64": 308, "arm64": 268}[runtime.GOARCH]
	if _, _, errno := syscall.Syscall(number, f.Fd(), syscall.CLONE_NEWNET, 0); errno != 0 {
		return errno
	}
	return nil
}

// inNamespace calls f in a network namespace, on the calling goroutine.
func inNamespace(space *os.File, f func() error) error {
	runtime.LockOSThread()
	home, err := os.Open("/proc/thread-self/ns/net")
	if err == nil {
		defer home.Close()
		err = setns(space)
	}
	if err != nil {
		runtime.UnlockOSThread()
		return err
	}
	defer func() {
		if setns(home) == nil {
			runtime.UnlockOSThread()
		} // else the thread ends with its goroutine
	}()
	return f()
}

func netns() string {
	name, _ := os.Readlink("/proc/thread-self/ns/net")
	return name
}

func TestTraps_setnsAndBack(t *testing.T) {
	spaces := twoSpaces(t)
	var space *os.File
	want := ""
	if err := spaces.Call(t.Context(), "blue", func() (err error) {
		want = netns()
		space, err = os.Open("/proc/thread-self/ns/net")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	defer space.Close()
	before := netns()
	for name, f := range map[string]func() error{
		"it returns": func() error { return nil },
		"it panics":  func() error { panic("in the namespace") },
	} {
		in := ""
		_ = testutil.Recovered(func() {
			if err := inNamespace(space, func() error { in = netns(); return f() }); err != nil {
				t.Error(err)
			}
		})
		if in != want || netns() != before {
			t.Errorf("%s: it ran in %s, want %s; afterwards %s, want %s", name, in, want, netns(), before)
		}
	}
}

func TestTraps_usersByThread(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("NOT TESTED: this needs root")
	}
	dir := t.TempDir()
	for d := dir; d != "/"; d = filepath.Dir(d) {
		if info, err := os.Stat(d); err == nil && info.Mode()&1 == 0 {
			_ = os.Chmod(d, info.Mode()|1)
			defer os.Chmod(d, info.Mode())
		}
	}
	mine, roots := filepath.Join(dir, "mine"), filepath.Join(dir, "roots")
	for name, uid := range map[string]int{mine: 65534, roots: 0} {
		if err := errors.Join(os.WriteFile(name, nil, 0o600), os.Chown(name, uid, 0)); err != nil {
			t.Fatal(err)
		}
	}
	users := keyed.New(func(uid int) error {
		//threadcall:ignore the result of Setgroups is the same on all threads, whatever they have
		_, _, errno := syscall.RawSyscall(syscall.SYS_SETGROUPS, 0, 0, 0) // of this thread
		if errno != 0 {
			return errno
		}
		return errors.Join(syscall.Setfsgid(uid), syscall.Setfsuid(uid))
	})
	defer users.Close()
	open := func(uid int, name string) error {
		return users.Call(t.Context(), uid, func() error {
			f, err := os.Open(name)
			if err == nil {
				f.Close()
			}
			return err
		})
	}
	for _, c := range []struct {
		uid  int
		name string
		want error
	}{
		{65534, mine, nil}, {65534, roots, os.ErrPermission}, {65533, mine, os.ErrPermission},
		{0, roots, nil},
	} {
		if err := open(c.uid, c.name); !errors.Is(err, c.want) {
			t.Errorf("user %d opens %s: %v, want %v", c.uid, filepath.Base(c.name), err, c.want)
		}
	}
	// of all threads
	if err := errors.Join(syscall.Setuid(0), syscall.Setgroups([]int{0})); err != nil {
		t.Errorf("with users on threads: %v", err)
	}
	program, err := testutil.Command()
	if err != nil {
		t.Fatal(err)
	}
	program.Env = append(os.Environ(), "THREADCALL_PROGRAM=setresuid on one thread")
	out, err := program.StderrPipe()
	if err == nil {
		err = program.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	// the C library ends it, at times in silence, or Go's runtime, which may hang while it reports
	first, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		_ = program.Process.Kill()
	}
	if err := program.Wait(); err == nil || strings.Contains(first, "Setuid returns") {
		t.Errorf("Setuid after setresuid on one thread: %v, %s", err, first)
	}
}

func init() {
	programs["setresuid on one thread"] = func() {
		th := thread.New()
		th.Call(func() {
			//threadcall:ignore this is the trap
			_, _, _ = syscall.RawSyscall(syscall.SYS_SETRESUID, 65534, 65534, 65534)
		})
		fmt.Fprintln(os.Stderr, "Setuid returns:", syscall.Setuid(0))
	}
}

// children starts processes; it lives as long as the program.
var children = thread.New(thread.WithName("children"))

func startChild(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return thread.MustEval(children, cmd.Start)
}

func TestTraps_children(t *testing.T) {
	held := exec.Command("sleep", "60")
	if err := startChild(held); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Process.Kill(); _ = held.Wait() }()
	wait := func(cmd *exec.Cmd) {
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if err := testutil.Arrives(t, ended); err == nil || err.Error() != "signal: killed" {
			t.Errorf("the child of a thread that has ended: %v", err)
		}
	}
	start := func(call func(f func())) *exec.Cmd {
		cmd := exec.Command("sleep", "60")
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		call(func() {
			if err := cmd.Start(); err != nil {
				t.Error(err)
			}
		})
		return cmd
	}
	closed := thread.New()
	child := start(func(f func()) { closed.Call(f) })
	closed.Close()
	wait(child)
	idle := keyed.New[int](nil, keyed.WithIdleTimeout(time.Millisecond))
	defer idle.Close()
	wait(start(func(f func()) { _ = idle.Call(t.Context(), 1, func() error { f(); return nil }) }))
	dropped := start(func(f func()) { thread.New().Call(f) })
	for held.ProcessState == nil {
		runtime.GC()
		if dropped.Process.Signal(syscall.Signal(0)) != nil || zombie(dropped.Process.Pid) {
			break
		}
	}
	wait(dropped)
	if err := held.Process.Signal(syscall.Signal(0)); err != nil || zombie(held.Process.Pid) {
		t.Error("the child of a thread that lives has ended: ", err)
	}
}

func zombie(pid int) bool {
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return bytes.Contains(stat, []byte(") Z "))
}

// git stands for a library whose last error is one of the thread, and vm for one that wants to know
// the threads that use it.
type lastErrors map[int]string

func (e lastErrors) open(name string) int {
	e[syscall.Gettid()] = "no repository: " + name
	return -1
}

func (e lastErrors) lastError() string { return e[syscall.Gettid()] }

func TestTraps_lastErrors(t *testing.T) {
	git := lastErrors{}
	library := thread.New()
	defer library.Close()
	open := func(name string) error {
		return thread.MustEval(library, func() error {
			if git.open(name) < 0 {
				return errors.New(git.lastError())
			}
			return nil
		})
	}
	if err := open("x"); err == nil || err.Error() != "no repository: x" {
		t.Error(err)
	}
}

type machine map[int]bool

func (m machine) attach() error { m[syscall.Gettid()] = true; return nil }

func (m machine) detach() { delete(m, syscall.Gettid()) }

func TestTraps_attachedThreads(t *testing.T) {
	vm := machine{}
	java, err := thread.Start(
		thread.WithStart(vm.attach), // AttachCurrentThread
		thread.WithStop(vm.detach),  // DetachCurrentThread; not if attach has failed
	)
	if err != nil {
		t.Fatal(err)
	}
	if !thread.MustEval(java, func() bool { return vm[syscall.Gettid()] }) {
		t.Error("the thread is not attached")
	}
	java.Close()
	if len(vm) != 0 {
		t.Error("the thread is still attached")
	}
}
