package app

import "testing"

func TestString(t *testing.T) {
	for _, c := range []struct {
		v    interface{ String() string }
		want string
	}{
		{KeyA, "A"}, {Key7, "7"}, {KeySlash, "/"}, {KeyLeftShift, "left shift"}, {KeyF12, "F12"},
		{KeyKPAdd, "keypad +"},
		{KeyWorld1, "world 1"}, {KeyUnknown, "unknown key"}, {Key(9999), "Key(9999)"},
		{Press, "press"}, {Release, "release"}, {Repeat, "repeat"}, {Action(7), "Action(7)"},
		{Mods(0), ""}, {ModShift, "shift"}, {ModShift | ModSuper, "shift+super"},
		{ModNumLock | 0x100, "num lock+0x100"},
		{KeyF1, "F1"}, {KeyF25, "F25"}, {KeyKP0, "keypad 0"}, {KeyKP9, "keypad 9"},
		{KeyGraveAccent, "`"},
		{PlatformWayland, "Wayland"}, {Platform(9), "Platform(9)"},
		{MouseLeft, "left"}, {MouseRight, "right"}, {MouseMiddle, "middle"},
		{MouseButton(3), "button 4"},
	} {
		if got := c.v.String(); got != c.want {
			t.Errorf("%T %#v is %q, want %q", c.v, c.v, got, c.want)
		}
	}
}
