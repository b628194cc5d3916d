package app

import (
	"fmt"
	"image"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// A CursorShape is one of the system's cursors.
type CursorShape int

// The system's cursors. Not all systems have those that follow the first six; the arrow takes the place of others.
const (
	ArrowCursor CursorShape = iota
	IBeamCursor
	CrosshairCursor
	HandCursor
	HResizeCursor
	VResizeCursor
	ResizeNWSECursor // between the upper left and the lower right
	ResizeNESWCursor // between the upper right and the lower left
	ResizeAllCursor
	NotAllowedCursor
)

var cursorShapes = [...]struct {
	name  string
	shape glfw.StandardCursor
}{
	ArrowCursor:      {"arrow", glfw.ArrowCursor},
	IBeamCursor:      {"I-beam", glfw.IBeamCursor},
	CrosshairCursor:  {"crosshair", glfw.CrosshairCursor},
	HandCursor:       {"hand", glfw.PointingHandCursor},
	HResizeCursor:    {"horizontal resize", glfw.ResizeEWCursor},
	VResizeCursor:    {"vertical resize", glfw.ResizeNSCursor},
	ResizeNWSECursor: {"diagonal resize, falling", glfw.ResizeNWSECursor},
	ResizeNESWCursor: {"diagonal resize, rising", glfw.ResizeNESWCursor},
	ResizeAllCursor:  {"resize", glfw.ResizeAllCursor},
	NotAllowedCursor: {"not allowed", glfw.NotAllowedCursor},
}

func (s CursorShape) String() string {
	if s < 0 || int(s) >= len(cursorShapes) {
		return fmt.Sprintf("CursorShape(%d)", int(s))
	}
	return cursorShapes[s].name
}

// SetCursor sets the shape of the cursor over the window.
func (w *Win) SetCursor(shape CursorShape) {
	if shape < 0 || int(shape) >= len(cursorShapes) {
		shape = ArrowCursor
	}
	_ = w.do(func() { w.replaceCursor(glfw.CreateStandardCursor(cursorShapes[shape].shape)) })
}

// SetCursorImage sets the image of the cursor over the window; (x, y) is the pixel that points. Nil is the arrow.
func (w *Win) SetCursorImage(picture image.Image, x, y int) {
	_ = w.do(func() {
		if isEmpty(picture) {
			w.replaceCursor(nil)
			return
		}
		size := picture.Bounds().Size() // an X server ends programs whose cursors point from outside
		w.replaceCursor(glfw.CreateCursor(picture, min(max(x, 0), size.X-1), min(max(y, 0), size.Y-1)))
	})
}

func (w *Win) replaceCursor(c *glfw.Cursor) {
	w.win.SetCursor(c)
	if w.cursor != nil {
		w.cursor.Destroy()
	}
	w.cursor = c
}

// A CursorMode is a behaviour of the cursor over a window.
type CursorMode int

// The behaviours of the cursor.
const (
	CursorNormal CursorMode = iota
	CursorHidden

	// CursorCaptured hides the cursor, which cannot leave, and gives its position no bounds: for games in which the mouse turns
	// the player.
	CursorCaptured

	// CursorConfined shows the cursor, which cannot leave.
	CursorConfined
)

var cursorModes = [...]struct {
	name string
	mode int
}{
	CursorNormal:   {"normal", glfw.CursorNormal},
	CursorHidden:   {"hidden", glfw.CursorHidden},
	CursorCaptured: {"captured", glfw.CursorDisabled},
	CursorConfined: {"confined", glfw.CursorCaptured},
}

func (m CursorMode) String() string {
	if m < 0 || int(m) >= len(cursorModes) {
		return fmt.Sprintf("CursorMode(%d)", int(m))
	}
	return cursorModes[m].name
}

// SetCursorMode sets the behaviour of the cursor over the window.
func (w *Win) SetCursorMode(mode CursorMode) {
	if mode < 0 || int(mode) >= len(cursorModes) {
		mode = CursorNormal
	}
	_ = w.do(func() { w.win.SetInputMode(glfw.CursorMode, cursorModes[mode].mode) })
}
