// A web page in a window (WebKitGTK), and goroutines that call it on the main thread, where GTK's
// event loop is.
//
//	go -C examples/webview run .
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/threadcall/threadcall/examples/internal/check"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
)

const page = `<!doctype html><title>loading</title>
<style>body { font: 20px sans-serif; margin: 2em } progress { width: 100% }</style>
<p>Written by goroutines: <b id=clock>-</b></p><progress id=bar max=100 value=0></progress>`

func main() {
	stay := check.Window()
	w, err := open(page) // main is on the main thread: the package mainthread has locked it there
	if err != nil {
		log.Fatal("webview: ", err)
	}
	// before the loop runs or in it: calls are run by GTK's loop, dialogs included
	detach, err := nativeloop.Attach(mainthread.Loop())
	if err != nil {
		log.Fatal("webview: ", err)
	}

	var workers sync.WaitGroup
	var ok bool
	start := sync.OnceFunc(func() { // in a callback of WebKit
		answered := w.greet()
		workers.Go(func() {
			ok = answered && w.show() && check.Calls("webview", func() bool {
				return mainthread.MustEval(func() bool { return mainthread.On() && w.title() != "" })
			})
			stay()
			mainthread.Call(w.close)
		})
	})
	onLoaded = start
	w.run()
	detach()
	// GTK's loop has ended; this serves the goroutines that still call
	mainthread.Init(workers.Wait)
	if !ok {
		os.Exit(1)
	}
}

// greet waits on the main thread until a goroutine has written to the page, while GTK's events and
// calls, that goroutine's too, are run.
func (v view) greet() bool {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	greeted := make(chan struct{})
	go func() {
		defer close(greeted)
		mainthread.Call(func() { v.eval("clock.textContent = 'hello'") })
	}()
	err := nativeloop.Wait(ctx, mainthread.Loop(), greeted)
	fmt.Println("webview: waited in a callback, error:", err)
	return err == nil
}

// show writes to the page from several goroutines, and reports whether it has arrived there.
func (v view) show() bool {
	var writers sync.WaitGroup
	writers.Go(func() {
		for i := range 100 {
			mainthread.Go(func() { v.eval(fmt.Sprintf("bar.value = %d", i+1)) })
			time.Sleep(5 * time.Millisecond)
		}
	})
	writers.Go(func() {
		for range 50 {
			now := time.Now().Format("15:04:05.000")
			mainthread.Call(func() { v.eval("clock.textContent = '" + now + "'") })
			time.Sleep(10 * time.Millisecond)
		}
	})
	writers.Wait()
	mainthread.Call(func() { v.eval("document.title = bar.value + ' % at ' + clock.textContent") })
	var title string
	for start := time.Now(); time.Since(start) < time.Minute; time.Sleep(5 * time.Millisecond) {
		if title = mainthread.MustEval(v.title); strings.HasPrefix(title, "100 % at ") {
			fmt.Println("webview: the page shows", title)
			return true
		}
	}
	fmt.Printf("webview: the title of the page is %q\n", title)
	return false
}
