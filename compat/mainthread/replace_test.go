package mainthread

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program and its dependency, whose finalizers call the old package as those of glhf do, use one
// main thread by a replace directive alone, whether the program calls Run or Init.
func TestReplace_givesProgramAndDependencyOneMainThread(t *testing.T) {
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for path, version := range map[string]string{
		"github.com/gopxl/mainthread/v2": "v2.1.1",
		"github.com/gopxl/mainthread":    "v1.0.0",
		"github.com/faiface/mainthread":  "v0.0.0-20171120011319-8b78f0a41ae3",
	} {
		for start, imports := range map[string]string{
			"old.Run":         "",
			"mainthread.Init": `import "github.com/threadcall/threadcall/mainthread"`,
		} {
			t.Run(path+" "+start, func(t *testing.T) {
				t.Parallel()
				dir := t.TempDir()
				old := strings.NewReplacer("PATH", path, "VERSION", version, "START", start,
					"IMPORTS", imports, "COMPAT", here, "ROOT", filepath.Join(here, "..", ".."))
				for name, text := range map[string]string{
					"go.mod":       old.Replace(goMod),
					"glhf/go.mod":  old.Replace("module example.com/glhf\ngo 1.21\nrequire PATH VERSION\n"),
					"glhf/glhf.go": old.Replace(glhf),
					"main.go":      old.Replace(program),
				} {
					file := filepath.Join(dir, name)
					if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
						t.Fatal(err)
					}
					if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				run := exec.CommandContext(t.Context(), "go", "run", ".")
				run.Dir = dir
				run.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod", "GOPROXY=off")
				out, err := run.CombinedOutput()
				if err != nil || string(out) != "call err 42 nested boom early deleted after\n" {
					t.Errorf("%v: it prints %q", err, out)
				}
			})
		}
	}
}

const goMod = `module example.com/game

go 1.24.0

require (
	PATH VERSION
	example.com/glhf v0.0.0
	github.com/threadcall/threadcall v0.1.0
)

replace (
	PATH => COMPAT
	example.com/glhf => ./glhf
	github.com/threadcall/threadcall => ROOT
)
`

const glhf = `package glhf

import (
	"runtime"

	old "PATH"
)

type Texture struct{ id [64]byte }

// New returns an object whose finalizer deletes it on the main thread.
func New(deleted func()) *Texture {
	t := new(Texture)
	runtime.SetFinalizer(t, func(*Texture) { old.CallNonBlock(deleted) })
	return t
}
`

const program = `package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"

	"example.com/glhf"
	old "PATH"
)

IMPORTS

var mains = goroutine()

func goroutine() string { b := make([]byte, 14); return string(b[:runtime.Stack(b, false)]) }

func on(what any) any {
	if goroutine() != mains {
		fmt.Println(what, "is off the main thread")
	}
	return what
}

func main() {
	deleted := make(chan any, 1)
	glhf.New(func() { deleted <- on("early") }) // before Run
	runtime.GC()
	var results []any
	START(func() {
		add := func(v any) { results = append(results, on(v)) }
		old.Call(func() { add("call") })
		results = append(results, old.CallErr(func() error { on(0); return errors.New("err") }))
		results = append(results, old.CallVal(func() any { return on(42) }).(int))
		old.Call(func() { old.Call(func() { add("nested") }) })
		func() {
			defer func() { results = append(results, recover()) }()
			old.Call(func() { panic("boom") })
		}()
		results = append(results, <-deleted)
		glhf.New(func() { deleted <- on("deleted") })
		runtime.GC()
		results = append(results, <-deleted)
	})
	old.CallNonBlock(func() {})
	old.Call(func() { results = append(results, "after") })
	fmt.Println(results...)
	os.Exit(0)
}
`
