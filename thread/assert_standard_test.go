package thread

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
)

// By the path of its file, or of its package where -trimpath has removed that.
func TestAssert_knowsTheStandardLibrary(t *testing.T) {
	pc := reflect.ValueOf(strings.Cut).Pointer()
	file, _ := runtime.FuncForPC(pc).FileLine(pc)
	trimmed := !strings.HasSuffix(file, "/src/strings/strings.go")
	root := strings.TrimSuffix(file, "strings/strings.go")
	for _, c := range []struct {
		function, file string
		want           bool
	}{
		{"strings.Cut", file, true},
		{"sync.(*Once).Do", root + "sync/once.go", true},
		{"net/http.Serve", root + "net/http/server.go", true},
		{"main.main", "main.go", false},
		{"example.com/window.Open", "example.com/window/window.go", false},
		{"window.Open", "/home/me/window/window.go", trimmed}, // as a package of the library is named
		{"me/window.Open", "/home/me/window/window.go", trimmed},
	} {
		if got := standard(runtime.Frame{Function: c.function, File: c.file}); got != c.want {
			t.Errorf("%s in %s is of the standard library: %t", c.function, c.file, got)
		}
	}
}
