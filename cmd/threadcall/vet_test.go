package main

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// vetModule makes a module of these files, and returns its directory. It has no dependencies.
func vetModule(t *testing.T, texts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	texts = maps.Clone(texts)
	texts["go.mod"] += "module example.com/wrong\n\ngo 1.24\n"
	writeFiles(t, dir, texts)
	return dir
}

// vetOf runs vet in a directory outside of the workspace.
func vetOf(t *testing.T, dir string, args ...string) outcome {
	t.Helper()
	return output(t, invocation(dir, []string{"GOWORK=off", "GOFLAGS=-mod=mod"},
		append([]string{"vet"}, args...)...))
}

var wrongModule = map[string]string{
	"main.go": `package main

import (
	"runtime"

	"example.com/wrong/window"
)

func init() { runtime.LockOSThread() }

func main() {
	go draw()
	window.Show()
}

func draw() {
	window.Update()
}
`,
	"window/window.go": `package window

// Show shows it.
//
//threadcall:on main
func Show() {}

func Update() { Show() }
`,
	"window/window_test.go": `package window

import "testing"

func TestShow(t *testing.T) { Show() }
`,
}

func TestVet_packages(t *testing.T) {
	dir := vetModule(t, wrongModule)
	o := vetOf(t, dir, "./...").want(t, statusWrong, "threadcall: 2 calls or waits are wrong")
	want := "main.go:17:15: window.Show must be called on the main thread; called by window.Update " +
		"(window.go:8), called by draw (main.go:17), " +
		"which runs on a goroutine started at main.go:12\n" +
		filepath.Join("window", "window_test.go") + ":5:35: Show must be called on the main thread; " +
		"called by TestShow (window_test.go:5), " +
		"which package testing runs on a goroutine\n"
	if o.stdout != want {
		t.Errorf("%s\nwant\n%s", o.stdout, want)
	}
	vetOf(t, dir, "./window", "-json").want(t, statusWrong, `"category": "main"`,
		`"package": "example.com/wrong/window"`, `"line": 5`)
}

const showTable = `{"tables": [{"packages": ["example.com/wrong/ui"], "on": {"gl": ["Show"]}}]}`

// A change of threadvet.json is not missed, though results are in the build cache.
func TestVet_tables(t *testing.T) {
	dir := vetModule(t, map[string]string{
		"ui/ui.go": "package ui\n\ntype Window struct{ Title string }\n\nfunc Show() {}\n\n" +
			"type Queue struct{}\n\nfunc (Queue) Do(f func()) {}\n\nfunc Dialog() {}\n",
		"use/use.go": "package use\n\nimport \"example.com/wrong/ui\"\n\nfunc f() { go ui.Show() }\n\n" +
			"func g(w *ui.Window) {\n\tgo func() { w.Title = \"\" }()\n}\n\n" +
			"func h(q ui.Queue) {\n\tq.Do(func() { ui.Show() })\n\tgo ui.Dialog()\n}\n",
	})
	if o := vetOf(t, dir, "./...").want(t, statusOK); o.stdout+o.stderr != "" {
		t.Errorf("%q %q", o.stdout, o.stderr)
	}
	if o := vetOf(t, dir, "-json", "./...").want(t, statusOK); strings.TrimSpace(o.stdout) != "[]" {
		t.Errorf("%q", o.stdout)
	}
	for _, c := range []struct {
		tables, output string
		status         int
	}{
		{showTable, "use.go:5:12: ui.Show must be called on thread gl", statusWrong},
		{`{}`, "", statusOK},
		{showTable, "ui.Show must be called on thread gl", statusWrong},
		{strings.Replace(showTable, `"on"`, `"any": ["*"], "on"`, 1), "", statusOK},
		{strings.Replace(showTable, `"on": {"gl": ["Show"]}`, `"fields": {"gl": ["Window.Title"]}`, 1),
			"use.go:8:16: the field ui.Window.Title must be written on thread gl", statusWrong},
		{strings.Replace(showTable, `"gl": ["Show"]}`, `"main": ["Show"]}, "calls": {"gl": ["Queue.Do"]}`,
			1), "in h (use.go:12), which ui.Queue.Do runs on thread gl", statusWrong},
		{strings.Replace(showTable, "Show", "Dialog", 1), "use.go:13:2: ui.Dialog must be called on " +
			"thread gl", statusWrong},
		{"{\n\"tables\": [{\"pakages\": 1}]}", `threadvet.json:2: unknown field "pakages"`,
			statusUsage},
		{"{\"tables\": [\n{\"packages\": [\"x\"], \"goes\": 1}]}", "threadvet.json:2: ", statusUsage},
		{"{\n\"tables\" [\n", "threadvet.json:2: invalid character", statusUsage},
		{`{"tables": [{"on": {}}]}`, "threadvet.json:1: a table must name its packages", statusUsage},
		{"{\"tables\": [\n{\"packages\": [\"x\"], \"any\": [\"[\"]}]}", "threadvet.json:2: x: pattern",
			statusUsage},
		{`{"tables": [{"packages": ["x"], "on": {"any": ["F"]}}]}`, `"any" is not the name`,
			statusUsage},
		{`{"tables": [{"packages": ["x"], "fix": "F"}]}`, "fix must be", statusUsage},
	} {
		writeFiles(t, dir, map[string]string{"threadvet.json": c.tables})
		vetOf(t, dir, "./use").want(t, c.status, c.output)
	}
}

func TestVet_fix(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	dir := vetModule(t, map[string]string{
		"go.mod": "require github.com/threadcall/threadcall v0.1.0\n\nreplace " +
			"github.com/threadcall/threadcall => " + root + "\n\n",
		"ui/ui.go": "package ui\n\n//threadcall:on main\nfunc Size() int { return 1 }\n\n" +
			"func use() (n int) {\n\tgo func() {\n\t\tn = Size()\n\t}()\n\treturn n\n}\n",
		"main.go": "package main\n\nimport \"github.com/threadcall/threadcall/mainthread\"\n\n" +
			"//threadcall:on main\nfunc show() {}\n\nfunc main() { mainthread.Init(show) }\n",
	})
	vetOf(t, dir).want(t, statusWrong, "show must be called on the main thread; "+
		"here mainthread.Init runs it on a goroutine (main.go:8)")
	if o := vetOf(t, dir, "-fix", "./ui").want(t, statusOK); o.stdout+o.stderr != "" {
		t.Errorf("%q %q", o.stdout, o.stderr)
	}
	text, err := os.ReadFile(filepath.Join(dir, "ui/ui.go"))
	if err != nil || !strings.Contains(string(text),
		"mainthread.Call(func() { n = Size() })") {
		t.Errorf("%v: %s", err, text)
	}
}

func TestVet_block(t *testing.T) {
	dir := vetModule(t, map[string]string{"ui/ui.go": "package ui\n\nimport \"time\"\n\n" +
		"//threadcall:on main\nfunc draw() { time.Sleep(1) }\n"})
	vetOf(t, dir, "./ui").want(t, statusOK)
	o := vetOf(t, dir, "-block", "./ui").want(t, statusWrong)
	if !strings.Contains(o.stdout, "time.Sleep blocks the main thread; called by draw") {
		t.Error(o.stdout)
	}
}

func TestVet_refusals(t *testing.T) {
	dir := vetModule(t, map[string]string{
		"broken/broken.go":   "package broken\n\nvar x int = nowhere\n",
		"headers/headers.go": "package headers\n\n// #include <nowhere.h>\nimport \"C\"\n",
		"excluded/x.go":      "//go:build nowhere\n\npackage excluded\n",
	})
	for _, c := range []refusal{
		{"./nowhere", statusUsage, "nowhere"},
		{"./broken", statusUsage, "undefined: nowhere"},
		{"./broken", statusUsage, "what 'go build' and 'go test -run none' report of it"},
		{"./headers", statusUsage, "nowhere.h"},
		{"./excluded", statusUsage, "build constraints exclude all Go files"},
	} {
		o := vetOf(t, dir, strings.Fields(c.args)...)
		o.stdout = "" // what could be analyzed
		o.want(t, c.status, c.complaint)
	}
}

// A package whose imported part of a toolkit does not say of which release it is.
func TestVet_partOfToolkit(t *testing.T) {
	for _, c := range []struct {
		release string
		status  int
	}{{"\n\nfunc Do(f func()) {}\n", statusWrong}, {"\n", statusOK}} {
		dir := vetModule(t, map[string]string{
			"go.mod":       "require fyne.io/fyne/v2 v2.6.0\n\nreplace fyne.io/fyne/v2 => ./fyne\n\n",
			"fyne/go.mod":  "module fyne.io/fyne/v2\n\ngo 1.24\n",
			"fyne/fyne.go": "package fyne\n\ntype Size struct{}" + c.release,
			"fyne/widget/widget.go": "package widget\n\nimport \"fyne.io/fyne/v2\"\n\ntype Label struct" +
				"{ Text string }\n\nfunc (l *Label) SetText(t string) {}\nfunc (l *Label) Size() " +
				"(s fyne.Size) { return }\n",
			"by/by.go": "package by\n\nimport \"fyne.io/fyne/v2/widget\"\n\nvar Label widget.Label\n",
			"use/use.go": "package use\n\nimport \"fyne.io/fyne/v2/widget\"\n\nfunc f(l *widget.Label) " +
				"{\n\tgo l.SetText(\"\")\n\tgo func() { l.Text = \"\" }()\n}\n",
			"far/far.go": "package far\n\nimport \"example.com/wrong/by\"\n\nfunc f() " +
				"{ go by.Label.SetText(\"\") }\n",
		})
		o := vetOf(t, dir, "./...")
		if c.status == statusOK {
			o.want(t, statusOK)
			continue
		}
		o.want(t, statusWrong, "threadcall: 3 calls or waits are wrong",
			"use.go:7:16: the field widget.Label.Text must be written on the main thread")
	}
}

// What a package does is reported whatever the build cache has: also if it has been vetted before
// because another one imports it, or its tests did not compile.
func TestVet_cache(t *testing.T) {
	dir := vetModule(t, wrongModule)
	writeFiles(t, dir, map[string]string{
		"draw/draw.go": "package draw\n\nimport \"example.com/wrong/window\"\n\nfunc f() " +
			"{ go window.Show() }\n\nfunc Draw() {}\n",
		"draw/draw_test.go": "package draw\n\nvar x int = nowhere\n",
		"use/use.go": "package use\n\nimport \"example.com/wrong/draw\"\n\nfunc f() " +
			"{ draw.Draw() }\n",
		"alone/alone.go": "package alone\n\nimport \"example.com/wrong/window\"\n\nfunc f() " +
			"{ go window.Show() }\n",
		"alone/alone_test.go": "package alone\n\nvar x int = nowhere\n",
	})
	const wrong = "draw.go:5:12: window.Show must be called on the main thread"
	vetOf(t, dir, "./...").want(t, statusUsage, "undefined: nowhere", "main.go:17:15: window", wrong,
		"alone.go:5:12: window.Show must be called on the main thread")
	if err := os.Remove(filepath.Join(dir, "draw/draw_test.go")); err != nil {
		t.Fatal(err)
	}
	vetOf(t, dir, "./use").want(t, statusOK)
	vetOf(t, dir, "./draw").want(t, statusWrong, wrong)
	vetOf(t, dir, "./use").want(t, statusOK)
}

// In a library for C, main does not run: nothing there can call mainthread.Init.
func TestVet_libraryForC(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		export string
		status int
	}{{"//export Draw\n", statusOK}, {"", statusWrong}} {
		dir := vetModule(t, map[string]string{
			"go.mod": "require github.com/threadcall/threadcall v0.1.0\n\nreplace " +
				"github.com/threadcall/threadcall => " + root + "\n\n",
			"main.go": "package main\n\nimport \"C\"\n\nimport " +
				"\"github.com/threadcall/threadcall/mainthread\"\n\n" + c.export +
				"func Draw() { go mainthread.Call(func() {}) }\n\nfunc main() {}\n",
		})
		vetOf(t, dir).want(t, c.status)
	}
}
