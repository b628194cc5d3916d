package listing

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

const program = `package p

var (
	list []int
	sink any
)

func inner(x int) { list = append(list, x) }

func outer(b byte) {
	inner(1)
	sink = b
}

func literal(n int) func() {
	return func() { sink = n }
}
`

// compile returns the listing that the compiler writes with the flags.
func compile(t *testing.T, dir, flags string) []Function {
	t.Helper()
	cmd := exec.Command("go", "build", "-gcflags="+flags, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	functions, err := Read(strings.NewReader(string(out)))
	if err != nil {
		t.Fatal(err)
	}
	return functions
}

func TestCallsHaveBothPlaces(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.24\n", "p.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	functions := compile(t, dir, "-S")
	SetOuter(functions, compile(t, dir, "-S -S"))
	got := map[string]string{}
	for _, f := range functions {
		for _, c := range f.Calls {
			if strings.HasPrefix(c.Target, "runtime.growslice") || strings.HasPrefix(c.Target, "runtime.conv") || c.Target == "runtime.newobject" {
				got[f.Symbol] += strings.Join([]string{c.Target, line(c.At), line(c.Outer)}, " ")
			}
		}
	}
	for symbol, want := range map[string]string{
		"example.com/p.inner":         "runtime.growslice 8 8",
		"example.com/p.outer":         "runtime.growslice 8 11", // and a byte in an interface calls nothing
		"example.com/p.literal":       "runtime.newobject 16 16",
		"example.com/p.literal.func1": "runtime.convT64 16 16",
	} {
		if got[symbol] != want {
			t.Errorf("%s: %q, not %q", symbol, got[symbol], want)
		}
	}
}

func line(p Place) string {
	if filepath.Base(p.File) != "p.go" {
		return p.File
	}
	return strconv.Itoa(p.Line)
}
