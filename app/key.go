package app

import (
	"fmt"
	"strconv"
	"strings"
)

// A Key is a place on the keyboard, named as on a US one.
type Key int

// String returns what a US keyboard has printed on the key, or its name: "A", "/", "left shift".
func (k Key) String() string {
	if name, ok := keyNames[k]; ok {
		return name
	}
	return fmt.Sprintf("Key(%d)", int(k))
}

// An Action is what happened to a key or button.
type Action int

// What happened to a key or button. Repeat comes again and again while a key is held.
const (
	Release Action = 0
	Press   Action = 1
	Repeat  Action = 2
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
	ModShift    Mods = 0x01
	ModControl  Mods = 0x02
	ModAlt      Mods = 0x04
	ModSuper    Mods = 0x08
	ModCapsLock Mods = 0x10
	ModNumLock  Mods = 0x20
)

// String returns the names with a plus between them, such as "shift+control"; it is empty without modifiers.
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
	MouseLeft   MouseButton = 0
	MouseRight  MouseButton = 1
	MouseMiddle MouseButton = 2
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
	KeyUnknown      Key = -1
	KeySpace        Key = 32
	KeyApostrophe   Key = 39
	KeyComma        Key = 44
	KeyMinus        Key = 45
	KeyPeriod       Key = 46
	KeySlash        Key = 47
	Key0            Key = 48
	Key1            Key = 49
	Key2            Key = 50
	Key3            Key = 51
	Key4            Key = 52
	Key5            Key = 53
	Key6            Key = 54
	Key7            Key = 55
	Key8            Key = 56
	Key9            Key = 57
	KeySemicolon    Key = 59
	KeyEqual        Key = 61
	KeyA            Key = 65
	KeyB            Key = 66
	KeyC            Key = 67
	KeyD            Key = 68
	KeyE            Key = 69
	KeyF            Key = 70
	KeyG            Key = 71
	KeyH            Key = 72
	KeyI            Key = 73
	KeyJ            Key = 74
	KeyK            Key = 75
	KeyL            Key = 76
	KeyM            Key = 77
	KeyN            Key = 78
	KeyO            Key = 79
	KeyP            Key = 80
	KeyQ            Key = 81
	KeyR            Key = 82
	KeyS            Key = 83
	KeyT            Key = 84
	KeyU            Key = 85
	KeyV            Key = 86
	KeyW            Key = 87
	KeyX            Key = 88
	KeyY            Key = 89
	KeyZ            Key = 90
	KeyLeftBracket  Key = 91
	KeyBackslash    Key = 92
	KeyRightBracket Key = 93
	KeyGraveAccent  Key = 96
	KeyWorld1       Key = 161
	KeyWorld2       Key = 162
	KeyEscape       Key = 256
	KeyEnter        Key = 257
	KeyTab          Key = 258
	KeyBackspace    Key = 259
	KeyInsert       Key = 260
	KeyDelete       Key = 261
	KeyRight        Key = 262
	KeyLeft         Key = 263
	KeyDown         Key = 264
	KeyUp           Key = 265
	KeyPageUp       Key = 266
	KeyPageDown     Key = 267
	KeyHome         Key = 268
	KeyEnd          Key = 269
	KeyCapsLock     Key = 280
	KeyScrollLock   Key = 281
	KeyNumLock      Key = 282
	KeyPrintScreen  Key = 283
	KeyPause        Key = 284
	KeyF1           Key = 290
	KeyF2           Key = 291
	KeyF3           Key = 292
	KeyF4           Key = 293
	KeyF5           Key = 294
	KeyF6           Key = 295
	KeyF7           Key = 296
	KeyF8           Key = 297
	KeyF9           Key = 298
	KeyF10          Key = 299
	KeyF11          Key = 300
	KeyF12          Key = 301
	KeyF13          Key = 302
	KeyF14          Key = 303
	KeyF15          Key = 304
	KeyF16          Key = 305
	KeyF17          Key = 306
	KeyF18          Key = 307
	KeyF19          Key = 308
	KeyF20          Key = 309
	KeyF21          Key = 310
	KeyF22          Key = 311
	KeyF23          Key = 312
	KeyF24          Key = 313
	KeyF25          Key = 314
	KeyKP0          Key = 320
	KeyKP1          Key = 321
	KeyKP2          Key = 322
	KeyKP3          Key = 323
	KeyKP4          Key = 324
	KeyKP5          Key = 325
	KeyKP6          Key = 326
	KeyKP7          Key = 327
	KeyKP8          Key = 328
	KeyKP9          Key = 329
	KeyKPDecimal    Key = 330
	KeyKPDivide     Key = 331
	KeyKPMultiply   Key = 332
	KeyKPSubtract   Key = 333
	KeyKPAdd        Key = 334
	KeyKPEnter      Key = 335
	KeyKPEqual      Key = 336
	KeyLeftShift    Key = 340
	KeyLeftControl  Key = 341
	KeyLeftAlt      Key = 342
	KeyLeftSuper    Key = 343
	KeyRightShift   Key = 344
	KeyRightControl Key = 345
	KeyRightAlt     Key = 346
	KeyRightSuper   Key = 347
	KeyMenu         Key = 348
)

var keyNames = map[Key]string{
	KeyUnknown:      "unknown key",
	KeySpace:        "space",
	KeyApostrophe:   "'",
	KeyComma:        ",",
	KeyMinus:        "-",
	KeyPeriod:       ".",
	KeySlash:        "/",
	Key0:            "0",
	Key1:            "1",
	Key2:            "2",
	Key3:            "3",
	Key4:            "4",
	Key5:            "5",
	Key6:            "6",
	Key7:            "7",
	Key8:            "8",
	Key9:            "9",
	KeySemicolon:    ";",
	KeyEqual:        "=",
	KeyA:            "A",
	KeyB:            "B",
	KeyC:            "C",
	KeyD:            "D",
	KeyE:            "E",
	KeyF:            "F",
	KeyG:            "G",
	KeyH:            "H",
	KeyI:            "I",
	KeyJ:            "J",
	KeyK:            "K",
	KeyL:            "L",
	KeyM:            "M",
	KeyN:            "N",
	KeyO:            "O",
	KeyP:            "P",
	KeyQ:            "Q",
	KeyR:            "R",
	KeyS:            "S",
	KeyT:            "T",
	KeyU:            "U",
	KeyV:            "V",
	KeyW:            "W",
	KeyX:            "X",
	KeyY:            "Y",
	KeyZ:            "Z",
	KeyLeftBracket:  "[",
	KeyBackslash:    "\\",
	KeyRightBracket: "]",
	KeyGraveAccent:  "`",
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
	KeyF1:           "F1",
	KeyF2:           "F2",
	KeyF3:           "F3",
	KeyF4:           "F4",
	KeyF5:           "F5",
	KeyF6:           "F6",
	KeyF7:           "F7",
	KeyF8:           "F8",
	KeyF9:           "F9",
	KeyF10:          "F10",
	KeyF11:          "F11",
	KeyF12:          "F12",
	KeyF13:          "F13",
	KeyF14:          "F14",
	KeyF15:          "F15",
	KeyF16:          "F16",
	KeyF17:          "F17",
	KeyF18:          "F18",
	KeyF19:          "F19",
	KeyF20:          "F20",
	KeyF21:          "F21",
	KeyF22:          "F22",
	KeyF23:          "F23",
	KeyF24:          "F24",
	KeyF25:          "F25",
	KeyKP0:          "keypad 0",
	KeyKP1:          "keypad 1",
	KeyKP2:          "keypad 2",
	KeyKP3:          "keypad 3",
	KeyKP4:          "keypad 4",
	KeyKP5:          "keypad 5",
	KeyKP6:          "keypad 6",
	KeyKP7:          "keypad 7",
	KeyKP8:          "keypad 8",
	KeyKP9:          "keypad 9",
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
