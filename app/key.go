package app

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// A Key is a place on the keyboard, named as on a US one.
type Key int

// String returns what a US keyboard has printed on the key, or its name: "A", "/", "left shift".
func (k Key) String() string {
	name, known := keyNames[k]
	switch {
	case known:
		return name
	case k > KeySpace && k <= KeyGraveAccent:
		return string(rune(k))
	case k >= KeyF1 && k <= KeyF25:
		return fmt.Sprintf("F%d", k-KeyF1+1)
	case k >= KeyKP0 && k <= KeyKP9:
		return fmt.Sprintf("keypad %d", k-KeyKP0)
	}
	return fmt.Sprintf("Key(%d)", int(k))
}

// An Action is what happened to a key or button.
type Action int

// What happened to a key or button. Repeat comes again and again while a key is held.
const (
	Release = Action(glfw.Release)
	Press   = Action(glfw.Press)
	Repeat  = Action(glfw.Repeat)
)

// String returns "release", "press" or "repeat".
func (a Action) String() string {
	switch a {
	case Release:
		return "release"
	case Press:
		return "press"
	case Repeat:
		return "repeat"
	}
	return fmt.Sprintf("Action(%d)", int(a))
}

// Mods is a set of modifier keys, as bits.
type Mods int

// The modifier keys.
const (
	ModShift    = Mods(glfw.ModShift)
	ModControl  = Mods(glfw.ModControl)
	ModAlt      = Mods(glfw.ModAlt)
	ModSuper    = Mods(glfw.ModSuper)
	ModCapsLock = Mods(glfw.ModCapsLock)
	ModNumLock  = Mods(glfw.ModNumLock)
)

// String returns the names with a plus between them, such as "shift+control"; it is empty without
// modifiers.
func (m Mods) String() string {
	var names []string
	for i, name := range []string{"shift", "control", "alt", "super", "caps lock", "num lock"} {
		if bit := Mods(1) << i; m&bit != 0 {
			names = append(names, name)
			m &^= bit
		}
	}
	if m != 0 {
		names = append(names, "0x"+strconv.FormatInt(int64(m), 16))
	}
	return strings.Join(names, "+")
}

// A MouseButton is a button of the mouse.
type MouseButton int

// The buttons of a mouse. There may be more, up to 8.
const (
	MouseLeft   = MouseButton(glfw.MouseButtonLeft)
	MouseRight  = MouseButton(glfw.MouseButtonRight)
	MouseMiddle = MouseButton(glfw.MouseButtonMiddle)
)

// String returns "left", "right", "middle", or "button 4" and so on.
func (b MouseButton) String() string {
	switch b {
	case MouseLeft:
		return "left"
	case MouseRight:
		return "right"
	case MouseMiddle:
		return "middle"
	}
	return fmt.Sprintf("button %d", int(b)+1)
}

// The keys.
const (
	KeyUnknown      = Key(glfw.KeyUnknown)
	KeySpace        = Key(glfw.KeySpace)
	KeyApostrophe   = Key(glfw.KeyApostrophe)
	KeyComma        = Key(glfw.KeyComma)
	KeyMinus        = Key(glfw.KeyMinus)
	KeyPeriod       = Key(glfw.KeyPeriod)
	KeySlash        = Key(glfw.KeySlash)
	Key0            = Key(glfw.Key0)
	Key1            = Key(glfw.Key1)
	Key2            = Key(glfw.Key2)
	Key3            = Key(glfw.Key3)
	Key4            = Key(glfw.Key4)
	Key5            = Key(glfw.Key5)
	Key6            = Key(glfw.Key6)
	Key7            = Key(glfw.Key7)
	Key8            = Key(glfw.Key8)
	Key9            = Key(glfw.Key9)
	KeySemicolon    = Key(glfw.KeySemicolon)
	KeyEqual        = Key(glfw.KeyEqual)
	KeyA            = Key(glfw.KeyA)
	KeyB            = Key(glfw.KeyB)
	KeyC            = Key(glfw.KeyC)
	KeyD            = Key(glfw.KeyD)
	KeyE            = Key(glfw.KeyE)
	KeyF            = Key(glfw.KeyF)
	KeyG            = Key(glfw.KeyG)
	KeyH            = Key(glfw.KeyH)
	KeyI            = Key(glfw.KeyI)
	KeyJ            = Key(glfw.KeyJ)
	KeyK            = Key(glfw.KeyK)
	KeyL            = Key(glfw.KeyL)
	KeyM            = Key(glfw.KeyM)
	KeyN            = Key(glfw.KeyN)
	KeyO            = Key(glfw.KeyO)
	KeyP            = Key(glfw.KeyP)
	KeyQ            = Key(glfw.KeyQ)
	KeyR            = Key(glfw.KeyR)
	KeyS            = Key(glfw.KeyS)
	KeyT            = Key(glfw.KeyT)
	KeyU            = Key(glfw.KeyU)
	KeyV            = Key(glfw.KeyV)
	KeyW            = Key(glfw.KeyW)
	KeyX            = Key(glfw.KeyX)
	KeyY            = Key(glfw.KeyY)
	KeyZ            = Key(glfw.KeyZ)
	KeyLeftBracket  = Key(glfw.KeyLeftBracket)
	KeyBackslash    = Key(glfw.KeyBackslash)
	KeyRightBracket = Key(glfw.KeyRightBracket)
	KeyGraveAccent  = Key(glfw.KeyGraveAccent)
	KeyWorld1       = Key(glfw.KeyWorld1)
	KeyWorld2       = Key(glfw.KeyWorld2)
	KeyEscape       = Key(glfw.KeyEscape)
	KeyEnter        = Key(glfw.KeyEnter)
	KeyTab          = Key(glfw.KeyTab)
	KeyBackspace    = Key(glfw.KeyBackspace)
	KeyInsert       = Key(glfw.KeyInsert)
	KeyDelete       = Key(glfw.KeyDelete)
	KeyRight        = Key(glfw.KeyRight)
	KeyLeft         = Key(glfw.KeyLeft)
	KeyDown         = Key(glfw.KeyDown)
	KeyUp           = Key(glfw.KeyUp)
	KeyPageUp       = Key(glfw.KeyPageUp)
	KeyPageDown     = Key(glfw.KeyPageDown)
	KeyHome         = Key(glfw.KeyHome)
	KeyEnd          = Key(glfw.KeyEnd)
	KeyCapsLock     = Key(glfw.KeyCapsLock)
	KeyScrollLock   = Key(glfw.KeyScrollLock)
	KeyNumLock      = Key(glfw.KeyNumLock)
	KeyPrintScreen  = Key(glfw.KeyPrintScreen)
	KeyPause        = Key(glfw.KeyPause)
	KeyF1           = Key(glfw.KeyF1)
	KeyF2           = Key(glfw.KeyF2)
	KeyF3           = Key(glfw.KeyF3)
	KeyF4           = Key(glfw.KeyF4)
	KeyF5           = Key(glfw.KeyF5)
	KeyF6           = Key(glfw.KeyF6)
	KeyF7           = Key(glfw.KeyF7)
	KeyF8           = Key(glfw.KeyF8)
	KeyF9           = Key(glfw.KeyF9)
	KeyF10          = Key(glfw.KeyF10)
	KeyF11          = Key(glfw.KeyF11)
	KeyF12          = Key(glfw.KeyF12)
	KeyF13          = Key(glfw.KeyF13)
	KeyF14          = Key(glfw.KeyF14)
	KeyF15          = Key(glfw.KeyF15)
	KeyF16          = Key(glfw.KeyF16)
	KeyF17          = Key(glfw.KeyF17)
	KeyF18          = Key(glfw.KeyF18)
	KeyF19          = Key(glfw.KeyF19)
	KeyF20          = Key(glfw.KeyF20)
	KeyF21          = Key(glfw.KeyF21)
	KeyF22          = Key(glfw.KeyF22)
	KeyF23          = Key(glfw.KeyF23)
	KeyF24          = Key(glfw.KeyF24)
	KeyF25          = Key(glfw.KeyF25)
	KeyKP0          = Key(glfw.KeyKP0)
	KeyKP1          = Key(glfw.KeyKP1)
	KeyKP2          = Key(glfw.KeyKP2)
	KeyKP3          = Key(glfw.KeyKP3)
	KeyKP4          = Key(glfw.KeyKP4)
	KeyKP5          = Key(glfw.KeyKP5)
	KeyKP6          = Key(glfw.KeyKP6)
	KeyKP7          = Key(glfw.KeyKP7)
	KeyKP8          = Key(glfw.KeyKP8)
	KeyKP9          = Key(glfw.KeyKP9)
	KeyKPDecimal    = Key(glfw.KeyKPDecimal)
	KeyKPDivide     = Key(glfw.KeyKPDivide)
	KeyKPMultiply   = Key(glfw.KeyKPMultiply)
	KeyKPSubtract   = Key(glfw.KeyKPSubtract)
	KeyKPAdd        = Key(glfw.KeyKPAdd)
	KeyKPEnter      = Key(glfw.KeyKPEnter)
	KeyKPEqual      = Key(glfw.KeyKPEqual)
	KeyLeftShift    = Key(glfw.KeyLeftShift)
	KeyLeftControl  = Key(glfw.KeyLeftControl)
	KeyLeftAlt      = Key(glfw.KeyLeftAlt)
	KeyLeftSuper    = Key(glfw.KeyLeftSuper)
	KeyRightShift   = Key(glfw.KeyRightShift)
	KeyRightControl = Key(glfw.KeyRightControl)
	KeyRightAlt     = Key(glfw.KeyRightAlt)
	KeyRightSuper   = Key(glfw.KeyRightSuper)
	KeyMenu         = Key(glfw.KeyMenu)
)

// keyNames has those that String cannot compute.
var keyNames = map[Key]string{
	KeyUnknown:      "unknown key",
	KeySpace:        "space",
	KeyWorld1:       "world 1",
	KeyWorld2:       "world 2",
	KeyEscape:       "escape",
	KeyEnter:        "enter",
	KeyTab:          "tab",
	KeyBackspace:    "backspace",
	KeyInsert:       "insert",
	KeyDelete:       "delete",
	KeyRight:        "right",
	KeyLeft:         "left",
	KeyDown:         "down",
	KeyUp:           "up",
	KeyPageUp:       "page up",
	KeyPageDown:     "page down",
	KeyHome:         "home",
	KeyEnd:          "end",
	KeyCapsLock:     "caps lock",
	KeyScrollLock:   "scroll lock",
	KeyNumLock:      "num lock",
	KeyPrintScreen:  "print screen",
	KeyPause:        "pause",
	KeyKPDecimal:    "keypad .",
	KeyKPDivide:     "keypad /",
	KeyKPMultiply:   "keypad *",
	KeyKPSubtract:   "keypad -",
	KeyKPAdd:        "keypad +",
	KeyKPEnter:      "keypad enter",
	KeyKPEqual:      "keypad =",
	KeyLeftShift:    "left shift",
	KeyLeftControl:  "left control",
	KeyLeftAlt:      "left alt",
	KeyLeftSuper:    "left super",
	KeyRightShift:   "right shift",
	KeyRightControl: "right control",
	KeyRightAlt:     "right alt",
	KeyRightSuper:   "right super",
	KeyMenu:         "menu",
}
