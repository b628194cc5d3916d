//go:build cgo

package main

import (
	"encoding/binary"
	"unsafe"

	"github.com/veandco/go-sdl2/sdl"
)

const version = 2

// A scene is a window of SDL 2 with rectangles. Its methods are for the main thread.
type scene struct {
	renderer *sdl.Renderer
	thread   uint // the one that SDL was initialised on
}

func open() (*scene, error) {
	if err := sdl.Init(sdl.INIT_VIDEO); err != nil {
		return nil, err
	}
	_, renderer, err := sdl.CreateWindowAndRenderer(size, size, sdl.WINDOW_SHOWN)
	return &scene{renderer, sdl.CurrentThreadID()}, err
}

// close ends SDL, and with it the window.
func (s *scene) close() { sdl.Quit() }

// rectangle draws one, reads its first pixel back, and reports whether that has its colour and the
// thread is the right one.
func (s *scene) rectangle(x, y int32, colour uint32) bool {
	s.renderer.SetDrawColor(uint8(colour>>24), uint8(colour>>16), uint8(colour>>8), 255)
	s.renderer.FillRect(&sdl.Rect{X: x, Y: y, W: 16, H: 16})
	var pixel [4]byte
	err := s.renderer.ReadPixels(&sdl.Rect{X: x, Y: y, W: 1, H: 1}, sdl.PIXELFORMAT_RGBA8888,
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
