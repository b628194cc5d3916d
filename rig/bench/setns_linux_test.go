package bench

import (
	"context"
	"os"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/threadcall/threadcall/keyed"
)

// setns is not in package syscall.
func setns(f *os.File) error {
	number := map[string]uintptr{"amd64": 308, "arm64": 268}[runtime.GOARCH]
	if _, _, err := syscall.RawSyscall(number, f.Fd(), syscall.CLONE_NEWNET, 0); err != 0 {
		return err
	}
	return nil
}

// A function in a network namespace for which setns is all that a thread needs: on a thread of
// keyed that is there, and on one that goes there and back in each call. Each follows a pause.
func BenchmarkSetns(b *testing.B) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		b.Skip("the number of setns is not known")
	}
	open := func() *os.File {
		f, err := os.Open("/proc/thread-self/ns/net")
		if err != nil {
			b.Skip(err)
		}
		return f
	}
	var home, away *os.File
	made := make(chan error)
	go func() {
		runtime.LockOSThread() // and not unlocked: the thread ends
		home = open()
		err := syscall.Unshare(syscall.CLONE_NEWNET)
		away = open()
		made <- err
	}()
	if err := <-made; err != nil {
		b.Skip("a network namespace cannot be made: ", err)
	}
	defer home.Close()
	defer away.Close()

	b.Run(named("thread"), func(b *testing.B) {
		threads := keyed.New(func(string) error { return setns(away) })
		defer threads.Close()
		report(b, single(b.N, func(int) { time.Sleep(time.Millisecond) }, func() {
			if err := threads.Call(context.Background(), "away", nothing); err != nil {
				b.Error(err)
			}
		}))
	})
	b.Run(named("reference"), func(b *testing.B) {
		report(b, single(b.N, func(int) { time.Sleep(time.Millisecond) }, func() {
			runtime.LockOSThread()
			err := setns(away)
			if err == nil {
				err = nothing()
			}
			if back := setns(home); back != nil {
				b.Error(back) // and the thread stays locked
				return
			}
			runtime.UnlockOSThread()
			if err != nil {
				b.Error(err)
			}
		}))
	})
}

func nothing() error { return nil }
