// A library for a C program, ../host.c, whose threads run Go functions.
package main

import "C"

import (
	"fmt"
	"os"
	"syscall"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

func init() { fmt.Println("init on the main thread:", onMain()) }

func main() { fmt.Println("main runs") }

func onMain() bool { return syscall.Gettid() == os.Getpid() }

var (
	loop   = thread.NewLoop() // the host's main thread, with GLib's loop
	other  *thread.Loop       // another thread of the host, which serves by itself
	detach func()
	ended  [2]bool // each used on one thread of the host
)

//export start
func start() {
	fmt.Println("mainthread:", mainthread.On(), mainthread.Call(func() {}), mainthread.Go(func() {}))
	func() {
		defer func() { fmt.Println(recover()) }()
		mainthread.Init(func() {})
	}()
	go loop.Thread().Call(func() { // waits for attach
		fmt.Println("loop, on the main thread:", onMain(), loop.Thread().On())
		go func() {
			fmt.Println("again:", thread.MustEval(loop.Thread(), onMain))
			loop.Thread().Go(func() { ended[0] = true })
		}()
	})
}

//export attach
func attach() {
	err := loop.Adopt()
	if err == nil {
		detach, err = nativeloop.Attach(loop)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

//export adopt
func adopt() {
	other = thread.Adopt()
	at := syscall.Gettid()
	go other.Thread().Call(func() {
		fmt.Println("other, on its thread:", syscall.Gettid() == at, other.Thread().On())
		other.Thread().Go(func() { ended[1] = true })
	})
}

//export serve
func serve() bool {
	other.Serve(0)
	return !ended[1]
}

//export terminate
func terminate() {
	other.Close()
	fmt.Println("other, closed:", other.Thread().On(), other.Thread().Call(func() {}))
}

//export running
func running() bool { return !ended[0] }

//export detachLoop
func detachLoop() {
	detach()
	loop.Close()
	fmt.Println("loop, closed:", loop.Thread().On(), loop.Thread().Call(func() {}))
}
