//go:build !cgo && !windows

package main

import (
	"errors"

	"github.com/ebitengine/purego"

	"github.com/threadcall/threadcall/mainthread"
)

// SDL 3 is loaded at run time. It needs no C compiler and no headers.
var (
	library, missing = purego.Dlopen("libSDL3.so.0", purego.RTLD_NOW|purego.RTLD_GLOBAL)

	start        = bind[func(subsystems uint32) bool]("Init")
	quit         = bind[func()]("Quit")
	lastError    = bind[func() string]("GetError")
	isMain       = bind[func() bool]("IsMainThread")
	waitEvent    = bind[func(*event) bool]("WaitEvent")
	pushEvent    = bind[func(*event) bool]("PushEvent")
	createWindow = bind[func(title string, w, h int32, flags uint64, window, r *uintptr) bool](
		"CreateWindowAndRenderer")
	setColour = bind[func(r uintptr, red, green, blue, alpha uint8) bool]("SetRenderDrawColor")
	fillRect  = bind[func(r uintptr, xywh *[4]float32) bool]("RenderFillRect")
	read      = bind[func(r uintptr, xywh *[4]int32) (surface uintptr)]("RenderReadPixels")
	readPixel = bind[func(surface uintptr, x, y int32, r, g, b, a *uint8) bool]("ReadSurfacePixel")
	destroy   = bind[func(surface uintptr)]("DestroySurface")
	present   = bind[func(r uintptr) bool]("RenderPresent")
)

func bind[F any](name string) (f F) {
	if missing == nil {
		purego.RegisterLibFunc(&f, library, "SDL_"+name)
	}
	return f
}

// An event is an SDL_Event: 128 bytes that begin with its type.
type event [32]uint32

const version, video, userEvent = 3, 0x20, 0x8000 // of SDL, a subsystem, a type of event

// A scene is a window of SDL 3 with rectangles. Its methods are for the main thread.
type scene struct {
	renderer uintptr
	closed   bool
}

func open() (*scene, error) {
	if missing != nil {
		return nil, missing
	}
	s := new(scene)
	var window uintptr
	if !start(video) || !createWindow("sdl", size, size, 0, &window, &s.renderer) {
		return nil, errors.New(lastError())
	}
	mainthread.Loop().OnWake(func() { pushEvent(&event{userEvent}) })
	mainthread.Go(s.loop)
	return s, nil
}

// loop is SDL's event loop. A call interrupts its wait.
func (s *scene) loop() {
	var e event
	for !s.closed && mainthread.Loop().Wait(func() { waitEvent(&e) }) {
	}
	mainthread.Loop().OnWake(nil) // Init serves again
	quit()
}

func (s *scene) close()   { s.closed = true }
func (s *scene) present() { present(s.renderer) }

// rectangle draws one, reads its first pixel back, and reports whether that has its colour and the
// thread is the right one.
func (s *scene) rectangle(x, y int32, colour uint32) bool {
	setColour(s.renderer, uint8(colour>>24), uint8(colour>>16), uint8(colour>>8), 255)
	fillRect(s.renderer, &[4]float32{float32(x), float32(y), 16, 16})
	surface := read(s.renderer, &[4]int32{x, y, 1, 1})
	defer destroy(surface)
	var r, g, b, a uint8
	return readPixel(surface, 0, 0, &r, &g, &b, &a) && isMain() &&
		uint32(r)<<24|uint32(g)<<16|uint32(b)<<8|0xff == colour
}
