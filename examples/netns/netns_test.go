//go:build linux

package main

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/vishvananda/netns"

	"github.com/threadcall/threadcall/keyed"
)

func openTest(t *testing.T, n int) []namespace {
	t.Helper()
	all, err := open(n)
	t.Cleanup(func() {
		for _, ns := range all {
			ns.handle.Close()
		}
	})
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.EROFS) {
		t.Skip("NOT TESTED: ", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// A space is what a client's package has for each network namespace.
type space struct {
	namespace
	inode uint64
}

func (s *space) enter() error { return netns.Set(s.handle) }

// do runs f in the namespace, whose handle only the caller has.
func (s *space) do(threads *keyed.Threads[uint64], f func() error) error {
	return threads.CallWith(context.Background(), s.inode, s.enter, f)
}

// Functions in one namespace wait for each other, and a namespace that is closed and forgotten
// ends.
func TestNamespace_ends(t *testing.T) {
	all := openTest(t, 1)
	var stat syscall.Stat_t
	if err := syscall.Fstat(int(all[0].handle), &stat); err != nil {
		t.Fatal(err)
	}
	s := &space{all[0], stat.Ino}
	threads := keyed.New[uint64](nil, nil, keyed.WithKeyThreads(0))
	defer threads.Close()
	if err := s.do(threads, loopbackUp); err != nil {
		t.Fatal(err)
	}
	listening, accepted := make(chan string), make(chan error, 1)
	go func() {
		accepted <- s.do(threads, func() error {
			l, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				close(listening)
				return err
			}
			defer l.Close()
			listening <- l.Addr().String()
			c, err := l.Accept()
			if err != nil {
				return err
			}
			return c.Close()
		})
	}()
	address := <-listening
	err := s.do(threads, func() error {
		c, err := net.DialTimeout("tcp", address, 10*time.Second)
		if err != nil {
			return err
		}
		return c.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := <-accepted; err != nil {
		t.Fatal(err)
	}
	threads.Forget(s.inode)
	expectHome(t)
}

// loopbackUp has 127.0.0.1 answer in the network namespace that it is called in.
func loopbackUp() error {
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer syscall.Close(fd)
	request := struct { // an ifreq
		name  [syscall.IFNAMSIZ]byte
		flags uint16
		_     [22]byte
	}{flags: syscall.IFF_UP}
	copy(request.name[:], "lo")
	_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, uintptr(fd), syscall.SIOCSIFFLAGS,
		uintptr(unsafe.Pointer(&request)))
	if errno != 0 {
		return os.NewSyscallError("ioctl", errno)
	}
	return nil
}

// expectHome waits until all threads of the process are in one network and one mount namespace.
func expectHome(t *testing.T) {
	t.Helper()
	var where map[string]int
	for range 500 {
		where = map[string]int{}
		tasks, err := filepath.Glob("/proc/self/task/*/ns/[nm][en]t")
		if err != nil {
			t.Fatal(err)
		}
		for _, task := range tasks {
			if name, err := os.Readlink(task); err == nil { // the thread has not ended
				where[name]++
			}
		}
		if len(where) == 2 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("threads by their namespaces: %v, want one of each kind", where)
}
