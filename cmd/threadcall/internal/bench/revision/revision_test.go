package revision

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// files makes a directory with these files, of which the names have slashes.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	for _, tool := range []string{"git", "go"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	t.Setenv("GOWORK", "")
	t.Setenv("GOFLAGS", "")
	t.Setenv("GOTMPDIR", t.TempDir())
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	write(t, dir, texts)
	return dir
}

func write(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		name = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755),
			os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

func commit(t *testing.T, top string) {
	t.Helper()
	run(t, top, "git", "init", "-q")
	run(t, top, "git", "add", ".")
	run(t, top, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c",
		"commit.gpgsign=false", "commit", "-q", "-m", "a commit")
}

// checkout returns the tree of HEAD that belongs to the one in dir.
func checkout(t *testing.T, dir string) (old gotest.Tree, s *gotest.Scratch) {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Commit(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = gotest.NewScratch(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Remove() })
	if old, err = r.Checkout(t.Context(), head, s, "old", gotest.Tree{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return old, s
}

// says compiles the tests of the package, runs them, and returns what they print.
func says(t *testing.T, tree gotest.Tree, pkg string) string {
	t.Helper()
	packages, missing, err := tree.List(t.Context(), pkg)
	if err != nil || len(missing) > 0 || len(packages) != 1 {
		t.Fatalf("%s in %s: %v, missing %v, %v", pkg, tree.Dir, packages, missing, err)
	}
	file := filepath.Join(t.TempDir(), "x.test.exe")
	if err := tree.Build(t.Context(), packages[0], file); err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(run(t, packages[0].Dir, file), "\n")
	return text
}

// speaking is a test that prints what the package says, which is a function Say.
func speaking(imports, call string) string {
	return "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n" + imports +
		")\n\nfunc TestMain(m *testing.M) {\n\tfmt.Println(" + call + ")\n\tos.Exit(m.Run())\n}\n"
}

func saying(pkg, text string) string {
	return "package " + pkg + "\n\nfunc Say() string { return \"" + text + "\" }\n"
}

func TestRepository_Checkout_killedRuns(t *testing.T) {
	top := files(t, map[string]string{"go.mod": "module example.com/p\n"})
	commit(t, top)
	mine, killed := filepath.Join(t.TempDir(), "mine"), filepath.Join(t.TempDir(),
		gotest.ScratchPrefix+"1", "old", "repository")
	for _, dir := range []string{mine, killed} {
		run(t, top, "git", "worktree", "add", "--quiet", "--detach", dir)
		if err := os.RemoveAll(dir); err != nil { // as if on a disk that is not there today
			t.Fatal(err)
		}
	}
	_, s := checkout(t, top)
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	out := run(t, top, "git", "worktree", "list", "--porcelain")
	if !strings.Contains(out, "mine") || strings.Contains(out, gotest.ScratchPrefix) {
		t.Errorf("worktrees: %s", out)
	}
}

func TestRepository_Checkout_relativePaths(t *testing.T) {
	const module = "\n\ngo 1.26\n"
	workspace := map[string]string{
		"r/in/go.mod": "module example.com/in" + module,
		"r/p/go.mod":  "module example.com/p" + module,
		"go.work":     "go 1.26\n\nuse (\n\t./out\n\t./r/in\n\t./r/p\n)\n",
	}
	inside := map[string]string{
		"r/in/go.mod": workspace["r/in/go.mod"],
		"r/p/go.mod":  workspace["r/p/go.mod"],
		"r/go.work":   "go 1.26\n\nuse (\n\t../out\n\t./in\n\t./p\n)\n",
	}
	ignored := map[string]string{"r/.gitignore": "go.work\n"}
	maps.Copy(ignored, inside)
	for name, texts := range map[string]map[string]string{
		"a workspace around it":        workspace,
		"its own workspace":            inside,
		"a workspace that git ignores": ignored,
		"replacements in and outside it": {
			"r/in/go.mod": workspace["r/in/go.mod"],
			"r/p/go.mod": "module example.com/p" + module +
				"\nrequire (\n\texample.com/in v0.0.0\n\texample.com/out v0.0.0\n)\n\nreplace " +
				"(\n\texample.com/in => ../in\n\texample.com/out => ../../out\n)\n",
		},
	} {
		top := files(t, texts)
		write(t, top, map[string]string{
			"out/go.mod": "module example.com/out" + module, "out/out.go": saying("out",
				"out"), "r/in/in.go": saying("in", "old"),
			"r/p/p_test.go": speaking("\t\"example.com/in\"\n\t\"example.com/out\"\n",
				"in.Say() + out.Say()"),
		})
		commit(t, filepath.Join(top, "r"))
		write(t, top, map[string]string{"r/in/in.go": saying("in", "new")})
		dir := filepath.Join(top, "r", "p")
		old, s := checkout(t, dir)
		if was, is := says(t, old, "."), says(t, gotest.Tree{Dir: dir}, "."); was != "oldout" ||
			is != "newout" {
			t.Errorf("%s: the old tree says %q, the new one %q", name, was, is)
		}
		if err := s.Remove(); err != nil || !exists(filepath.Join(top, "out", "out.go")) {
			t.Errorf("%s: removing: %v", name, err)
		}
	}
}

func TestRepository_Commit_unknown(t *testing.T) {
	top := files(t, map[string]string{"go.mod": "module example.com/p\n"})
	if r, err := Open(t.Context(), top); err == nil {
		t.Errorf("a repository: %+v", r)
	}
	commit(t, top)
	r, err := Open(t.Context(), top)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range []string{"", "nowhere", "HEAD~1", "--all", "HEAD:go.mod"} {
		if c, err := r.Commit(t.Context(), rev); err == nil ||
			!strings.Contains(err.Error(), "no revision") {
			t.Errorf("%q: %v, %v", rev, c, err)
		}
	}
}
