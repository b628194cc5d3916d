package mainthread

import (
	"cmp"
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
	row := regexp.MustCompile("(?m)^\\| `(.*?)` \\| `(.*?)` \\|$")
	rows := row.FindAllStringSubmatch(string(text), -1)
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
	_, err = exec.LookPath("sh")
	if err = cmp.Or(err, os.Symlink(root, filepath.Join(dir, "threadcall"))); err != nil {
		t.Skip(err)
	}
	for _, row := range rows {
		o := originals[row[1]]
		files := map[string]string{}
		for _, file := range []string{"main.go", "main_test.go", "old/old.go"} {
			name := filepath.Join("testdata", o.program, strings.ReplaceAll(file, "/", "_")+".txt")
			if text, err := os.ReadFile(name); err == nil {
				files[file] = strings.ReplaceAll(string(text), "ORIGINAL", row[1])
			}
		}
		t.Run(row[1], func(t *testing.T) {
			migrate(t, dir, files, row[2]+"\n"+block, cmp.Or(o.module, row[1])+" "+o.version)
		})
	}
	t.Run("several", func(t *testing.T) {
		commands, modules, imports := "", []string{}, ""
		for i, end := range []string{"", "/.", "/./."} {
			path := rows[i][1]
			commands += rows[i][2] + end + "\n"
			modules = append(modules, path+" "+originals[path].version)
			imports += fmt.Sprintf("import m%d %q\n", i, path)
		}
		migrate(t, dir, map[string]string{"main.go": "package main\nimport \"fmt\"\n" + imports + `
func main() {
	n := 0
	m0.Run(func() { m1.Call(func() { m2.Call(func() { n++ }) }) })
	if n == 1 {
		fmt.Println("as before")
	}
}
`}, commands+block, modules...)
	})
}

// migrate has commands change a program that requires modules, beside threadcall in dir.
func migrate(t *testing.T, dir string, files map[string]string, commands string,
	modules ...string) {
	write := func(name, text string) {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := strings.ReplaceAll(t.Name(), "/", "_")
	goMod := "module example.com/program\n\ngo 1.21\n"
	for _, module := range modules {
		// what the proxy has of the original, which the commands must not need the code of
		path, version, _ := strings.Cut(module, " ")
		write("proxy/"+path+"/@v/"+version+".mod", "module "+path+"\n")
		write("proxy/"+path+"/@v/"+version+".info", fmt.Sprintf(`{"Version": %q}`, version))
		goMod += "require " + module + "\n"
	}
	write(program+"/go.mod", goMod)
	for name, text := range files {
		write(program+"/"+name, text)
	}
	for _, command := range []string{commands, "go run .", "go test ."} {
		sh := exec.CommandContext(t.Context(), "sh", "-e", "-c", command)
		sh.Dir = filepath.Join(dir, program)
		sh.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-modcacherw", "GOSUMDB=off",
			"GOTOOLCHAIN=local", "GOMODCACHE="+dir+"/cache",
			"GOPROXY=file://"+filepath.ToSlash(dir)+"/proxy")
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
