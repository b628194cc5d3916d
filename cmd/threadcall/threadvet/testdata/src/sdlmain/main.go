// Package main uses SDL with sdl.Main.
package main

import (
	"net/http"

	"github.com/veandco/go-sdl2/sdl"
)

func main() { sdl.Main(run) }

func run() {
	sdl.Init(sdl.INIT_AUDIO)
	sdl.Init(sdl.INIT_AUDIO | sdl.INIT_VIDEO) // want `^sdl.Init must be called on the main thread; called by run \(main.go:14\), which sdl.Main runs on a goroutine \(main.go:10\)$`
	var w *sdl.Window
	sdl.Do(func() { w, _ = sdl.CreateWindow("") })
	sdl.Do(func() { w.SetTitle("") })
	w.GLSwap()
	sdl.PushEvent(nil)
	for sdl.PollEvent() != nil { // want `sdl.PollEvent must be called on the main thread`
	}
	http.HandleFunc("/", func(http.ResponseWriter, *http.Request) { w.SetTitle("") }) // want `which an HTTP server runs on a goroutine`
	http.Handle("/title", titles{w})
}

type titles struct{ w *sdl.Window }

func (t titles) ServeHTTP(http.ResponseWriter, *http.Request) {
	t.w.SetTitle("") // want `called by titles.ServeHTTP \(main.go:\d+\), which an HTTP server runs on a goroutine$`
}
