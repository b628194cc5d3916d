package main

import (
	"encoding/binary"
	"math/rand/v2"
	"unsafe"

	"github.com/veandco/go-sdl2/sdl"

	"github.com/threadcall/threadcall/mainthread"
)

const size = 256 // of the window and of the space for rectangles

// A scene is a window with rectangles. Its methods are for the main thread, but frame.
type scene struct {
	window   *sdl.Window
	renderer *sdl.Renderer
	thread   uint // the one that SDL was initialised on
}

func open() (*scene, error) {
	if err := sdl.Init(sdl.INIT_VIDEO); err != nil {
		return nil, err
	}
	window, err := sdl.CreateWindow("sdl", sdl.WINDOWPOS_CENTERED, sdl.WINDOWPOS_CENTERED, size,
		size, sdl.WINDOW_SHOWN)
	if err != nil {
		sdl.Quit()
		return nil, err
	}
	renderer, err := sdl.CreateRenderer(window, -1, sdl.RENDERER_SOFTWARE)
	if err != nil {
		sdl.Quit()
		return nil, err
	}
	return &scene{window, renderer, sdl.CurrentThreadID()}, nil
}

// close ends SDL, and with it the window.
func (s *scene) close() { sdl.Quit() }

// clear begins a frame.
func (s *scene) clear() {
	s.renderer.SetDrawColor(0, 0, 0, 255)
	s.renderer.Clear()
}

// rectangle draws one, reads its first pixel back, and reports whether that has its colour and the
// thread is the right one.
func (s *scene) rectangle() bool {
	colour := rand.Uint32() | 0xff
	r := sdl.Rect{X: rand.Int32N(size - 16), Y: rand.Int32N(size - 16), W: 16, H: 16}
	s.renderer.SetDrawColor(uint8(colour>>24), uint8(colour>>16), uint8(colour>>8), 255)
	s.renderer.FillRect(&r)
	var pixel [4]byte
	err := s.renderer.ReadPixels(&sdl.Rect{X: r.X, Y: r.Y, W: 1, H: 1}, sdl.PIXELFORMAT_RGBA8888,
		unsafe.Pointer(&pixel), len(pixel))
	return err == nil && binary.NativeEndian.Uint32(pixel[:]) == colour &&
		sdl.CurrentThreadID() == s.thread
}

// present shows the frame, and takes the events that have come.
func (s *scene) present() {
	s.renderer.Present()
	for sdl.PollEvent() != nil {
	}
}

// frame draws 20 rectangles from any goroutine.
func (s *scene) frame() bool {
	right := true
	mainthread.Call(s.clear)
	for range 20 {
		mainthread.Call(func() { right = s.rectangle() && right })
	}
	mainthread.Call(s.present)
	return right
}
