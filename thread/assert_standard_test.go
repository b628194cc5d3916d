package thread

import (
	"runtime"
	"testing"
)

// By the path of its file, or of its package where -trimpath has removed that.
func TestAssert_knowsTheStandardLibrary(t *testing.T) {
	for _, src := range []string{"/go/src/", ""} {
		trimmed := src == ""
		for _, c := range []struct {
			function, file string
			want           bool
		}{
			{"strings.Cut", src + "strings/strings.go", true},
			{"sync.(*Once).Do", src + "sync/once.go", true},
			{"net/http.Serve", src + "net/http/server.go", true},
			{"main.main", "main.go", false},
			{"example.com/window.Open", "example.com/window/window.go", false},
			{"window.Open", "/home/me/window/window.go", trimmed}, // as a package of the library is named
			{"me/window.Open", "/home/me/window/window.go", trimmed},
		} {
			if got := within(src, runtime.Frame{Function: c.function, File: c.file}); got != c.want {
				t.Errorf("%s in %s is of the library in %q: %t", c.function, c.file, src, got)
			}
		}
	}
	pcs := make([]uintptr, 2)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for _, want := range []bool{false, true} { // this function, and what has called it
		if f, _ := frames.Next(); standard(f) != want {
			t.Errorf("%s in %s is of the standard library: %t", f.Function, f.File, !want)
		}
	}
}
