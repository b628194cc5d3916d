package escape

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/report"
	"github.com/threadcall/threadcall/cmd/threadcall/report/alloc"
)

const program = `package p

import "fmt"

type T struct{ a, b, c int }

var (
	sink any
	list []any
	ch   chan any
	m    map[any]any
)

func send(n *int)        { ch <- func() { *n++ } }
func give() *T           { return new(T) }
func inner() *T          { return &T{} }
func outer() *T          { return inner() }
func both() (*T, *T)     { return inner(), inner() }
func moved() *int        { n := 1; return &n }
func convert(n int)      { sink = n }
func print(n int)        { fmt.Println(n) }
func element(n int)      { list = []any{n, &n} }
func key(n int)          { m[n] = &n }
func field(n int)        { sink = &struct{ p *int }{&n} }
func started(n int)      { go func() { sink = n }() }
func called(f func(any)) { f(1) }
func deferred() {
	for i := range 3 {
		defer func() { sink = i }()
	}
}
func huge() int          { var a [16 << 20]byte; return int(a[len(list)]) }
func hugeMake() byte     { a := make([]byte, 1<<20); return a[len(list)] }
func appended(n int)     { list = append(list, n) }
func joined(s string)    { sink = s + "x" }
func method(t *T) func() { return t.do }
func (t *T) do()         {}
func kept(n int) int     { p := &n; return *p }
func generic[X any](x X) *X { return &x }
func instances()         { sink = generic(1); sink = generic("") }
func through(n int) *int { p := &n; q := p; return q }
func ranged(s []int)     { for i := range s { sink = &s[i]; sink = &i } }
func variadic(n ...any)  { sink = n }
func manyArgs(n int)     { variadic(n, "c", &n) }
func dotted(t *T)        { var u struct{ t *T }; u.t = t; sink = u.t }
func captures() func() int { n := 0; return func() int { n++; return n } }
func panics(n int)       { panic(n) }
func pointers(pp **T)    { t := T{}; *pp = &t }
func literal()           { sink = map[string]*T{"a": {}} }
func array(n int)        { sink = [2]*int{&n, &n} }
func byInterface(e interface{ M(*int) }, n int) { e.M(&n) }
func stored(n int)       { list[0] = &n }
func passed()            { stored(1) }
`

// compile returns what the compiler on this machine writes about the program.
func compile(t *testing.T) *Log {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "it's a directory")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"go.mod": "module example.com/p\n\ngo 1.26.0\n",
		"p.go": program} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	log := filepath.Join(dir, "log")
	cmd := exec.Command("go", "build", Flag(".", log), ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "PWD="+dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	l := New()
	if err := l.Read(log); err != nil {
		t.Fatal(err)
	}
	return l
}

// This is the test that fails if a Go release writes anything in a form that is not understood:
// Read refuses it.
func TestEscape_String(t *testing.T) {
	var all []string
	for at, list := range compile(t).byLine {
		for _, e := range list {
			all = append(all, e.String())
			if text := strings.Split(program, "\n")[at.Line-1]; strings.Contains(text, "func kept(") {
				t.Errorf("%s: %s", text, e)
			}
		}
	}
	for _, want := range []string{
		"&T{} escapes to heap: returned (return ~r0 at p.go:17)",
		"n escapes to heap: put into a slice ([]any{...} at p.go:22)",
		"n escapes to heap: assigned (m[n] = &n at p.go:23)",
		"func literal escapes to heap: it must outlive the statement",
		"a escapes to heap: too large for stack",
		`s + "x" escapes to heap: assigned`,
		"x escapes to heap: returned (return &x at p.go:39)",
		"n escapes to heap: returned (return q at p.go:41), by way of p and q",
		"n escapes to heap: captured by a closure, which changes it",
		"x escapes to heap: assigned",
	} {
		has := func(text string) bool { return strings.HasPrefix(text, want) }
		if !slices.ContainsFunc(all, has) {
			t.Errorf("no %q in %q", want, all)
		}
	}
}

// Testdata has a package and what Go 1.24.11 writes about it.
func TestLog_Read_go124(t *testing.T) {
	l := New()
	if err := l.Read("testdata/go1.24"); err != nil {
		t.Fatal(err)
	}
	for number, want := range map[int]string{
		8:  "&[4]int{} escapes to heap: returned (return &[4]int{} at p.go:8)",
		10: "n escapes to heap: returned (return q at p.go:10), by way of p and q",
		11: "x escapes to heap: returned (return &x at p.go:11)",
		13: `s + " = " + s escapes to heap: assigned (sink = s + " = " + s at p.go:13)`,
		15: "n escapes to heap: assigned (list[0] = &n at p.go:14)",
	} {
		found := l.Around(report.Position{File: "/p/p.go", Line: number})
		if !slices.ContainsFunc(found, func(e alloc.Escape) bool {
			return e.String() == want && !strings.Contains(e.Flow[0].Into, "=")
		}) {
			t.Errorf("line %d: no %q in %+v", number, want, found)
		}
	}
}

func TestEscape_Constant(t *testing.T) {
	for what, want := range map[string]bool{`"a \"b\" \\"`: true, `"a long string...`: true,
		`'\''`: true, "'é'": true, "-7000": true, "1.5e+06": true, "true": true,
		`"a" + s`: false, `s + "a"`: false, `"a" + s + "b"`: false, "2 * n": false, "trueish": false,
		"n": false} {
		if e := (alloc.Escape{What: what}); e.Constant() != want {
			t.Errorf("%s: constant is %t", what, !want)
		}
	}
}

func TestLog_Read_unknownForm(t *testing.T) {
	head := `{"version":0,"package":"p","file":"/p.go"}` + "\n"
	for name, text := range map[string]string{
		"version":   `{"version":1,"package":"p","file":"/p.go"}`,
		"no header": `{"range":{}}`,
		"message":   head + `{"code":"escape","message":"x flies away"}`,
		"step": head + `{"code":"escape","message":"x escapes to heap","relatedInformation":` +
			`[{"location":{"uri":"file:///p.go"},"message":"escflow: how?"}]}`,
		"truncated": head + `{"code":"esc`,
		"empty":     "",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "p.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if l := New(); l.Read(dir) == nil {
			t.Errorf("%s: no error, %+v", name, l)
		}
	}
}
