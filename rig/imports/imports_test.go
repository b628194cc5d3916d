// Package imports holds the walls between the parts of the project.
package imports

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	module = "github.com/threadcall/threadcall/"
	engine = "internal/engine" // thread, keyed and internal/access import it
)

var public = []string{"thread", "mainthread", "recorder", "osthread", "keyed", "nativeloop"}

// A part is a directory with all below it that is not in another part. Of the packages of this
// project, a file may import those of its part, and those that the part lists.
var parts = []struct {
	dir   string
	files []string
	tests []string // what tests may import as well
	any   bool     // there is no limit but that of the engine
}{
	{dir: ""}, // the documentation of the module
	{dir: "thread", files: []string{engine, "internal/access", "internal/clock", "internal/fault",
		"internal/freelist", "internal/histogram", "internal/list", "internal/park", "internal/stack"},
		tests: []string{"internal/ident", "internal/testutil", "osthread"}},
	{dir: "keyed", files: []string{engine, "thread", "internal/access", "internal/clock",
		"internal/list", "internal/park"},
		tests: []string{"internal/ident", "internal/testutil"}},
	{dir: "internal/access", files: []string{engine}},
	{dir: "mainthread", files: []string{"thread", "internal/access", "internal/ident"},
		tests: []string{"internal/testutil"}},
	{dir: "osthread", files: []string{"internal/ident", "internal/cores"}, tests: []string{"thread"}},
	{dir: "nativeloop", files: []string{"thread", "internal/access"},
		tests: []string{"mainthread", "internal/testutil"}},
	{dir: "recorder", files: []string{"thread", "internal/access", "internal/clock",
		"internal/histogram", "internal/stack"},
		tests: []string{"keyed", "internal/testutil"}},
	{dir: "app", files: public, tests: []string{"internal/compare", "internal/testutil"}},
	{dir: "app/examples", files: slices.Concat(public, []string{"app"}),
		tests: []string{"app/internal/screen", "internal/testutil"}},
	{dir: "app/internal/screen", files: []string{"internal/testutil"}},
	{dir: "examples", files: public, tests: []string{"app"}},
	{dir: "compat", files: []string{"mainthread", "thread"},
		tests: []string{"internal/testutil"}},
	{dir: "cmd/threadcall", files: slices.Concat(public, []string{
		"internal/compare", "internal/ident", "internal/testutil"})},
	// The ground: it imports nothing that stands on it, and what measures and proves it only in tests.
	{dir: "internal/ident", tests: []string{"internal/testutil"}},
	{dir: "internal/freelist", files: []string{"internal/ident"},
		tests: []string{"internal/testutil"}},
	{dir: "internal/list"},
	{dir: "internal/histogram"},
	{dir: "internal/fault", files: []string{"internal/stack"}},
	{dir: "internal/pin", files: []string{"internal/ident"}},
	{dir: "internal/clock", tests: []string{"internal/testutil"}},
	{dir: "internal/stack", tests: []string{"internal/testutil"}},
	{dir: "internal/shortage",
		tests: []string{"internal/cores", "internal/sched", "internal/testutil"}},
	{dir: "internal/park", files: []string{"internal/clock"}},
	{dir: "internal/cores", files: []string{"internal/clock", "internal/shortage"},
		tests: []string{"internal/testutil"}},
	{dir: "internal/sched", files: []string{"internal/clock", "internal/shortage"},
		tests: []string{"internal/park"}},
	{dir: "internal/callq", files: []string{"internal/clock", "internal/fault", "internal/freelist",
		"internal/list", "internal/park"},
		tests: []string{"internal/testutil"}},
	{dir: "internal/spin", files: []string{"internal/callq", "internal/clock", "internal/cores",
		"internal/park", "internal/sched"},
		tests: []string{"internal/ident", "internal/testutil"}},
	{dir: "internal/observe", files: []string{"internal/callq", "internal/clock",
		"internal/histogram", "internal/ident", "internal/list", "internal/stack"},
		tests: []string{"internal/testutil"}},
	{dir: engine, files: []string{"internal/callq", "internal/clock", "internal/fault",
		"internal/histogram", "internal/ident", "internal/list", "internal/observe",
		"internal/park", "internal/pin", "internal/sched", "internal/spin", "internal/stack",
		"osthread"},
		tests: []string{"internal/cores", "internal/testutil"}},
	{dir: "internal/testutil", files: []string{"internal/clock"}},
	{dir: "internal/compare", files: []string{"mainthread", "internal/cores"},
		tests: []string{"internal/ident"}},
	{dir: "rig", any: true},
	{dir: "docs", any: true},
}

// The files of all modules and all platforms are read.
func TestImports(t *testing.T) {
	files := map[int][]string{} // by their part
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return fs.SkipDir
		}
		if filepath.Ext(path) != ".go" {
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		part := -1
		for i, p := range parts {
			if within(name, p.dir) && (part < 0 || len(p.dir) > len(parts[part].dir)) {
				part = i
			}
		}
		if part < 0 {
			t.Errorf("%s is in no part", name)
		}
		files[part] = append(files[part], name)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, p := range parts {
		t.Run("/"+p.dir, func(t *testing.T) {
			if len(files[i]) == 0 {
				t.Error("the part has no files")
			}
			for _, name := range files[i] {
				path := filepath.Join(root, name)
				f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
				if err != nil {
					t.Fatal(err)
				}
				for _, spec := range f.Imports {
					path, err := strconv.Unquote(spec.Path.Value)
					if err != nil {
						t.Fatal(err)
					}
					imported, ours := strings.CutPrefix(path, module)
					switch {
					case !ours || p.dir != "" && within(imported, p.dir) && imported != engine:
					case slices.Contains(p.files, imported):
					case strings.HasSuffix(name, "_test.go") && slices.Contains(p.tests, imported):
					case p.any && imported != engine:
					default:
						t.Errorf("%s imports %s", name, imported)
					}
				}
			}
		})
	}
}

func within(name, dir string) bool {
	return dir == "" || name == dir || strings.HasPrefix(name, dir+"/")
}
