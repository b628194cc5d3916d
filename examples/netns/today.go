//go:build linux

package main

import (
	"runtime"
	"syscall"

	"github.com/vishvananda/netns"
)

// visit runs f in ns, as the README of github.com/vishvananda/netns shows. If the way back fails, the thread stays in ns, and any
// goroutine may come to it.
func visit(ns netns.NsHandle, f func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	origin, err := netns.Get()
	if err != nil {
		return err
	}
	defer origin.Close()
	defer netns.Set(origin)
	if err := netns.Set(ns); err != nil {
		return err
	}
	return f()
}

// visitSys is visit, with a /sys for the time of the call, as in github.com/velp/netns-exporter. The thread stays in the mount
// namespace that is made for that, and any goroutine may come to it.
func visitSys(ns netns.NsHandle, f func() error) error {
	return visit(ns, func() error {
		if err := mountSys(); err != nil {
			return err
		}
		defer syscall.Unmount("/sys", syscall.MNT_DETACH)
		return f()
	})
}

// spend runs f in ns, with a /sys that shows it, on a thread that ends with that, because its goroutine does not unlock it.
func spend(ns netns.NsHandle, f func() error) error {
	result := make(chan error)
	go func() {
		runtime.LockOSThread()
		err := enter(ns)
		if err == nil {
			err = f()
		}
		result <- err
	}()
	return <-result
}
