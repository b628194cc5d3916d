// Package appkit has some functions of the real one, for the tests of the analyzer.
package appkit

type (
	Responder           struct{}
	Window              struct{ Responder }
	Image               struct{}
	ApplicationDelegate struct{}
)

func NewWindow() Window                { return Window{} }
func (w Window) SetTitle(title string) {}
func (i Image) SetName(name string)    {}

func (d *ApplicationDelegate) SetApplicationDidFinishLaunching(f func()) {}
