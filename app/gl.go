package app

// #include "gl.h"
import "C"

import (
	"fmt"
	"image"
	"sync"
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// glNames are the functions of OpenGL that the package calls, in the order of C's enum.
var glNames = [...]string{"glViewport", "glClear", "glGetIntegerv", "glPixelStorei", "glReadPixels",
	"glReadBuffer", "glBindFramebuffer", "glBindBuffer"}

// glFunctions are those of a window's context, so that the package depends on no binding.
type glFunctions struct {
	at  [len(glNames)]unsafe.Pointer
	all bool // the context has what reading pixels may need
}

// loaded has the functions of the program that have loaded a binding, by their addresses: that of a
// function without variables is always the same, and each closure has one of its own.
var loaded struct {
	mu        sync.Mutex // held until the binding has been loaded
	functions map[unsafe.Pointer]func() error
}

// load finds the package's functions and the program's. It runs on the window's thread.
func (g *glFunctions) load(a api) error {
	for i, name := range glNames {
		if g.at[i] = glfw.GetProcAddress(name); g.at[i] == nil && (g.all || i < C.READ_FROM) {
			return windowError(&glfw.Error{Code: glfw.APIUnavailable, Desc: "no " + name}, a)
		}
	}
	if a.load == nil {
		return nil
	}
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	f := *(*unsafe.Pointer)(unsafe.Pointer(&a.load))
	if loaded.functions[f] != nil {
		return nil
	}
	if err := a.load(); err != nil {
		return fmt.Errorf("app: loading the program's binding: %w", err)
	}
	if loaded.functions == nil {
		loaded.functions = map[unsafe.Pointer]func() error{}
	}
	loaded.functions[f] = a.load
	return nil
}

func (g *glFunctions) viewport(width, height int) {
	C.viewport(&g.at[0], C.int(width), C.int(height))
}

func (g *glFunctions) clear() { C.clear(&g.at[0]) }

func (g *glFunctions) picture(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	if width*height == 0 {
		return p
	}
	read := make([]uint8, len(p.Pix))
	C.picture(&g.at[0], C._Bool(g.all), C.int(width), C.int(height), unsafe.Pointer(&read[0]))
	for y := range height { // OpenGL begins with the lowest row
		copy(p.Pix[y*p.Stride:], read[(height-1-y)*p.Stride:][:p.Stride])
	}
	for i := 3; i < len(p.Pix); i += 4 {
		p.Pix[i] = 255 // opaque
	}
	return p
}
