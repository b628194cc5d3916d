//go:build linux

package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netns"

	"github.com/threadcall/threadcall/thread"
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

func TestEachNamespaceHasAThread(t *testing.T) {
	all := openTest(t, 10)
	home := mountNamespace()
	threads := thread.NewKeyed(enter)
	defer threads.Close()
	for range 3 {
		err := scrape(all, func(ns netns.NsHandle, f func() error) error {
			return threads.Call(context.Background(), ns, f)
		})
		if err != nil || threads.Len() != len(all) {
			t.Errorf("scrape: %v; %d threads, want %d", err, threads.Len(), len(all))
		}
	}
	if n := astray(home); n != 0 {
		t.Errorf("%d of 2000 goroutines run in another mount namespace", n)
	}
	threads.Close()
	expectHome(t)
}

func TestWhatAFunctionDoesStaysOnItsThread(t *testing.T) {
	all := openTest(t, 1)
	home := mountNamespace()
	threads := thread.NewKeyed(enter)
	defer threads.Close()
	for range 10 {
		err := threads.Call(context.Background(), all[0].handle, func() error {
			runtime.UnlockOSThread() //threadcall:ignore once too often, which does not unpin the thread
			return netns.Set(all[0].handle)
		})
		if err != nil {
			t.Error(err)
		}
		func() {
			defer func() { recover() }()
			threads.Call(context.Background(), all[0].handle, func() error { panic("in the namespace") })
		}()
		if n := astray(home); n != 0 {
			t.Errorf("%d of 2000 goroutines run in another mount namespace", n)
		}
	}
	threads.Close()
	expectHome(t)
}

func TestANamespaceThatCannotBeEnteredIsAnError(t *testing.T) {
	openTest(t, 1) // or it skips
	threads := thread.NewKeyed(enter)
	defer threads.Close()
	err := threads.Call(context.Background(), netns.None(), func() error {
		t.Error("the function runs")
		return nil
	})
	if err != syscall.EBADF || threads.Len() != 0 {
		t.Errorf("Call: %v; %d threads; want %v and none", err, threads.Len(), syscall.EBADF)
	}
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
