package recorderhttp

import (
	"strings"
	"testing"
)

// A stack is shown from the function of the program on that waits, also where this library is in
// the runtime, as a caller that calls Gosched.
func TestShorten(t *testing.T) {
	const us = "github.com/threadcall/threadcall/"
	for name, c := range map[string]struct {
		functions []string
		first, in string
	}{
		"a call": {[]string{us + "internal/engine.(*Engine).Call(0x1)", us + "thread.(*Thread).Call(...)",
			"main.draw(0x1)", "main.main()"}, "main.draw(0x1)", "main.draw (f.go:1)"},
		"a caller that yields": {[]string{"runtime.Gosched(...)", us + "internal/spin.takeTurns(0x1)",
			us + "thread.(*Thread).Call(...)", "main.draw(0x1)"}, "main.draw(0x1)", "main.draw (f.go:1)"},
		"one by a go statement": {[]string{"runtime.Gosched(...)", us + "thread.(*Thread).Call(...)",
			"created by main.main in goroutine 1"}, "created by main.main in goroutine 1",
			"a go statement of main.main (f.go:1)"},
		"a function that yields": {[]string{"runtime.Gosched(...)", "main.draw(0x1)",
			us + "internal/engine.invoke(0x1)", "main.other()"}, "runtime.Gosched(...)",
			"main.draw (f.go:1)"},
		"a lock": {[]string{"sync.(*Mutex).Lock(...)", us + "internal/engine.invoke(0x1)"},
			"sync.(*Mutex).Lock(...)", "no function of the program"},
	} {
		text := "goroutine 7 [runnable]:"
		for _, f := range c.functions {
			text += "\n" + f + "\n\t/src/f.go:1 +0x1"
		}
		short, in := shorten([]byte(text))
		lines := strings.Split(short, "\n")
		if len(lines) < 2 || lines[1] != c.first || in != c.in {
			t.Errorf("%s: in %q, %q", name, in, short)
		}
	}
}
