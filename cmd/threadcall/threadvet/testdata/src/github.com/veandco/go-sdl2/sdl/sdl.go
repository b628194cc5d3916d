// Package sdl has some functions of the real one, for the tests of the analyzer.
package sdl

import "runtime"

const (
	INIT_AUDIO = 0x10
	INIT_VIDEO = 0x20
)

type (
	Window   struct{}
	Renderer struct{}
	Event    interface{}
)

func init() { runtime.LockOSThread() }

func Init(flags uint32) error                    { return nil }
func Main(main func())                           {}
func Do(f func())                                {}
func PollEvent() Event                           { return nil }
func PushEvent(e Event) (bool, error)            { return true, nil }
func CreateWindow(title string) (*Window, error) { return nil, nil }
func (w *Window) SetTitle(title string)          {}
func (w *Window) GLSwap()                        {}
func (r *Renderer) Present()                     {}
