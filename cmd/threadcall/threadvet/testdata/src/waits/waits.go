// Package waits waits on a thread for what the thread must do.
package waits

import (
	"runtime"
	"sync"

	faiface "github.com/faiface/mainthread"
	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/thread"
	"github.com/veandco/go-sdl2/sdl"
)

func channels(t *thread.Thread) { // want channels:"needs init for mainthread.Call"
	mainthread.Call(func() {
		done := make(chan struct{})
		mainthread.Go(func() { close(done) })
		<-done // want `^this waits for a channel on the main thread, which mainthread.Call runs on the main thread \(waits.go:\d+\), but what ends the wait must itself run there, by the call at waits.go:\d+$`
	})
	mainthread.Call(func() {
		done := make(chan int, 1)
		go func() {
			mainthread.Call(func() {})
			done <- 1
		}()
		<-done // want `this waits for a channel on the main thread`
	})
	mainthread.Call(func() {
		done := make(chan int)
		go func() {
			defer close(done)
			mainthread.Call(f)
		}()
		for range done { // want `this waits for a channel on the main thread`
		}
	})
	mainthread.Call(func() { // the goroutine sends before it calls
		done := make(chan int)
		go func() {
			done <- 1
			mainthread.Call(f)
		}()
		<-done
	})
	mainthread.Call(func() { // a nested call runs in place
		done := make(chan int, 1)
		mainthread.Call(func() { done <- 1 })
		<-done
	})
	mainthread.Call(func() { // another goroutine sends, too
		done := make(chan int, 1)
		mainthread.Go(func() { done <- 1 })
		go func() { done <- 2 }()
		<-done
	})
	mainthread.Call(func() { // Serve runs it
		done := make(chan int, 1)
		mainthread.Go(func() { done <- 1 })
		mainthread.Serve()
		<-done
	})
	mainthread.Call(func() { // another function sends
		done := make(chan int, 1)
		mainthread.Go(func() { done <- 1 })
		other(done)
		<-done
	})
	mainthread.Call(func() { // it waits for another thread
		done := make(chan int, 1)
		t.Go(func() { done <- 1 })
		<-done
	})
	done := make(chan int, 1)
	mainthread.Go(func() { done <- 1 })
	mainthread.Call(func() { <-done }) // in order
	t.Call(func() {
		done := make(chan int, 1)
		t.Go(func() { done <- 1 })
		<-done // want `this waits for a channel on a thread, which Thread.Call runs`
	})
	u := thread.New()
	u.Call(func() {
		done := make(chan int, 1)
		u.Go(func() { done <- 1 })
		select {
		case <-done:
		default:
		}
		<-done // want `this waits for a channel on a thread of its own`
	})
	<-done
}

func f() {}

func other(ch chan int) {
	go func() { ch <- 1 }()
}

//threadcall:on main
func groups() { // want groups:"on main"
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		mainthread.Call(func() {})
	}()
	wg.Wait() // want `^this waits for a sync.WaitGroup on the main thread, which is marked //threadcall:on main, but`

	var several sync.WaitGroup
	for range 3 {
		several.Go(func() { mainthread.Call(f) })
	}
	several.Wait() // want `this waits for a sync.WaitGroup`

	var fine sync.WaitGroup
	for range 3 {
		fine.Go(func() { mainthread.Go(f) })
	}
	fine.Wait()

	var sometimes sync.WaitGroup
	sometimes.Go(func() {
		if !mainthread.On() {
			return
		}
		mainthread.Call(f)
	})
	sometimes.Wait()
}

func unlocks(t *thread.Thread) { // want unlocks:"needs init for mainthread.Go"
	t.Call(func() {
		runtime.UnlockOSThread() // want `^runtime.UnlockOSThread must not be called without runtime.LockOSThread on a thread, which runs other functions later; called by a function in unlocks \(waits.go:\d+\), which Thread.Call runs on a thread \(waits.go:\d+\)$`
	})
	mainthread.Go(func() { cleanUp() })
	mainthread.Go(runtime.UnlockOSThread) // want `runtime.UnlockOSThread must not be called`
	mainthread.Call(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
	}()
	go runtime.UnlockOSThread()
}

func cleanUp() { // want cleanUp:"needs unlock for runtime.UnlockOSThread"
	defer runtime.UnlockOSThread() // want `called by cleanUp \(waits.go:\d+\), called by a function in unlocks`
}

func nested() { // want nested:"needs outside:github.com/faiface/mainthread for mainthread.Call, needs outside:github.com/veandco/go-sdl2/sdl for sdl.Do"
	sdl.Do(func() {
		sdl.Do(f) // want `^sdl.Do waits for ever on the main thread; called by a function in nested \(waits.go:\d+\), which sdl.Do runs on the main thread`
	})
	faiface.Call(func() {
		faiface.CallNonBlock(f)
		title() // the report is there
	})
	mainthread.Call(func() { mainthread.Call(f) })
}

func title() { // want title:"needs outside:github.com/faiface/mainthread for mainthread.CallErr"
	faiface.CallErr(func() error { return nil }) // want `mainthread.CallErr waits for ever`
}
