package mainthread

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// originals are the modules of the packages that README.md has a command for, and the program of
// testdata that uses the package.
var originals = map[string]struct{ module, version, program string }{
	"github.com/gopxl/mainthread/v2": {"", "v2.1.1", "run"},
	"github.com/gopxl/mainthread":    {"", "v1.0.0", "run"},
	"github.com/faiface/mainthread":  {"", "v0.0.0-20171120011319-8b78f0a41ae3", "run"},
	"golang.design/x/mainthread":     {"", "v0.3.1", "init"},
	"golang.design/x/thread":         {"", "v0.3.2", "thread"},

	"golang.design/x/runtime/mainthread": {"golang.design/x/runtime", "v0.3.0", "init"},
	"golang.design/x/runtime/thread":     {"golang.design/x/runtime", "v0.3.0", "thread"},
}

// Each row of README.md works as it is printed: a program that uses the original is built and run,
// and so is its test, which has no TestMain, after the commands of the row and those below the
// table.
func TestREADME_migratesEachPackage(t *testing.T) {
	text, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile("(?m)^\\| `(.*?)` \\| `(.*?)` \\|$").FindAllStringSubmatch(string(text), -1)
	_, block, _ := strings.Cut(string(text), "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	if len(rows) != len(originals) || block == "" {
		t.Fatalf("%d rows, commands %q", len(rows), block)
	}
	dir := t.TempDir()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(dir, "threadcall")); err != nil {
		t.Skip(err)
	}
	for i, row := range rows {
		t.Run(row[1], func(t *testing.T) {
			migrate(t, dir, fmt.Sprintf("program%d/", i), row[1], row[2]+"\n"+block)
		})
	}
}

func migrate(t *testing.T, dir, program, path, commands string) {
	original, ok := originals[path]
	if !ok {
		t.Fatal("unknown")
	}
	if original.module == "" {
		original.module = path
	}
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	require := fmt.Sprintf("go 1.21\n\nrequire %s %s\n", original.module, original.version)
	write(program+"go.mod", "module example.com/program\n\n"+require)
	for _, file := range []string{"main.go", "main_test.go", "old/old.go"} {
		name := filepath.Join("testdata", original.program, strings.ReplaceAll(file, "/", "_")+".txt")
		text, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		write(program+file, strings.ReplaceAll(string(text), "ORIGINAL", path))
	}
	// what the proxy has of the original, which the commands must not need the code of
	proxy := "proxy/" + original.module + "/@v/" + original.version
	write(proxy+".mod", "module "+original.module+"\n")
	write(proxy+".info", fmt.Sprintf(`{"Version": %q}`, original.version))
	for _, command := range []string{commands, "go run .", "go test -count=1 ."} {
		sh := exec.CommandContext(t.Context(), "sh", "-e", "-c", command)
		sh.Dir = filepath.Join(dir, program)
		sh.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw", "GOSUMDB=off", "GOTOOLCHAIN=local",
			"GOPROXY=file://"+filepath.ToSlash(dir)+"/proxy", "GOMODCACHE="+dir+"/cache")
		var out, errs strings.Builder
		sh.Stdout, sh.Stderr = &out, &errs
		if err := sh.Run(); err != nil {
			t.Fatalf("%s: %v\n%s%s", command, err, &out, &errs)
		}
		if command == "go run ." && out.String() != "as before\n" {
			t.Errorf("the program prints\n%s", &out)
		}
	}
}
