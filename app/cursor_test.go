package app

import (
	"fmt"
	"testing"
)

func TestCursor_String(t *testing.T) {
	names := map[string]bool{}
	check := func(v fmt.Stringer, known bool) {
		name := v.String()
		if names[name] || name == "" || known == (name == fmt.Sprintf("%T(%d)", v, v)[len("app."):]) {
			t.Errorf("%d is %q", v, name)
		}
		names[name] = true
	}
	for s := ArrowCursor - 1; s <= NotAllowedCursor+1; s++ {
		check(s, s >= ArrowCursor && s <= NotAllowedCursor)
	}
	for m := CursorNormal - 1; m <= CursorConfined+1; m++ {
		check(m, m >= CursorNormal && m <= CursorConfined)
	}
}
