// Package glfw has some functions of the real one, for the tests of the analyzer.
package glfw

type (
	Window      struct{ _ int }
	KeyCallback func(w *Window, key int)
)

func Init() error                                          { return nil }
func Terminate()                                           {}
func PollEvents()                                          {}
func PostEmptyEvent()                                      {}
func CreateWindow(w, h int, title string) (*Window, error) { return nil, nil }
func (w *Window) Show()                                    {}
func (w *Window) SetTitle(title string)                    {}
func (w *Window) SwapBuffers()                             {}
func (w *Window) MakeContextCurrent()                      {}
func (w *Window) ShouldClose() bool                        { return false }
func (w *Window) SetKeyCallback(f KeyCallback) KeyCallback { return nil }
func (w *Window) Destroy()                                 {}
