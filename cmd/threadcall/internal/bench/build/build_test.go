package build

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
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
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
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
	run(t, top, "git", "add", ".")
	run(t, top, "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "commit", "-q", "-m", "a commit")
}

// checkout returns the tree of HEAD that belongs to the one in dir.
func checkout(t *testing.T, dir string) (old Tree, s *Scratch) {
	t.Helper()
	r, err := Open(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Commit(t.Context(), "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	if s, err = NewScratch(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Remove() })
	if old, err = r.Checkout(t.Context(), head, s, Tree{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return old, s
}

// says compiles the tests of the package, runs them, and returns what they print.
func says(t *testing.T, tree Tree, pkg string) string {
	t.Helper()
	packages, missing, err := tree.List(t.Context(), pkg)
	if err != nil || len(missing) > 0 || len(packages) != 1 {
		t.Fatalf("%s in %s: %v, missing %v, %v", pkg, tree.Dir, packages, missing, err)
	}
	file := filepath.Join(t.TempDir(), "x.test.exe")
	if err := tree.Compile(t.Context(), packages[0], file); err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(run(t, packages[0].Dir, file), "\n")
	return text
}

// speaking is a test that prints what the package says, which is a function Say.
func speaking(imports, call string) string {
	return "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n" + imports + ")\n\n" +
		"func TestMain(m *testing.M) {\n\tfmt.Println(" + call + ")\n\tos.Exit(m.Run())\n}\n"
}

func saying(pkg, text string) string {
	return "package " + pkg + "\n\nfunc Say() string { return \"" + text + "\" }\n"
}

func TestARevisionIsBuiltInItsOwnWorktree(t *testing.T) {
	top := files(t, map[string]string{"sub/go.mod": "module example.com/p\n\ngo 1.26\n", "sub/p.go": saying("p", "old"), "sub/p_test.go": speaking("", "Say()")})
	run(t, top, "git", "init", "-q")
	commit(t, top)
	write(t, top, map[string]string{"sub/p.go": saying("p", "new")})
	old, s := checkout(t, filepath.Join(top, "sub"))
	if got := says(t, old, "."); got != "old" {
		t.Errorf("the old tree says %q", got)
	}
	if got := says(t, Tree{Dir: filepath.Join(top, "sub")}, "example.com/p"); got != "new" {
		t.Errorf("the new tree says %q", got)
	}
	if err := s.Remove(); err != nil {
		t.Error(err)
	}
	if err := s.Remove(); err != nil {
		t.Errorf("again: %v", err)
	}
	if out := run(t, top, "git", "worktree", "list"); strings.Count(out, "\n") != 1 {
		t.Errorf("worktrees: %s", out)
	}
	if _, err := os.Stat(s.Dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("scratch: %v", err)
	}
}

func TestOnlyTheWorktreesOfKilledRunsAreForgotten(t *testing.T) {
	top := files(t, map[string]string{"go.mod": "module example.com/p\n"})
	run(t, top, "git", "init", "-q")
	commit(t, top)
	mine, killed := filepath.Join(t.TempDir(), "mine"), filepath.Join(t.TempDir(), scratchPrefix+"1", oldTree)
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
	if !strings.Contains(out, "mine") || strings.Contains(out, scratchPrefix) {
		t.Errorf("worktrees: %s", out)
	}
}

func TestAHookDoesNotRun(t *testing.T) {
	top := files(t, map[string]string{"go.mod": "module example.com/p\n"})
	run(t, top, "git", "init", "-q")
	commit(t, top)
	write(t, top, map[string]string{".git/hooks/post-checkout": "#!/bin/sh\ntouch " + filepath.Join(top, "ran") + "\n"})
	if err := os.Chmod(filepath.Join(top, ".git/hooks/post-checkout"), 0o755); err != nil {
		t.Fatal(err)
	}
	checkout(t, top)
	if _, err := os.Stat(filepath.Join(top, "ran")); err == nil {
		t.Error("it did")
	}
}

// A workspace with two modules, of which the tests of one print what the other says.
var workspace = map[string]string{
	"a/go.mod":    "module example.com/a\n\ngo 1.26\n",
	"a/a.go":      saying("a", "old"),
	"p/go.mod":    "module example.com/p\n\ngo 1.26\n",
	"p/p_test.go": speaking("\t\"example.com/a\"\n", "a.Say()"),
}

func TestTheWorkspaceOfARevisionIsItsOwn(t *testing.T) {
	for _, known := range []bool{true, false} {
		top := files(t, workspace)
		run(t, top, "git", "init", "-q")
		work := map[string]string{"go.work": "go 1.26\n\nuse (\n\t./a\n\t./p\n)\n"}
		if known {
			write(t, top, work)
		} else {
			write(t, top, map[string]string{".gitignore": "go.work\n"})
		}
		commit(t, top)
		write(t, top, work)
		write(t, top, map[string]string{"a/a.go": saying("a", "new")})
		dir := filepath.Join(top, "p")
		old, _ := checkout(t, dir)
		if got := says(t, old, "."); got != "old" {
			t.Errorf("git knows go.work: %v: the old tree says %q", known, got)
		}
		if got := says(t, Tree{Dir: dir}, "."); got != "new" {
			t.Errorf("git knows go.work: %v: the new tree says %q", known, got)
		}
	}
}

func TestAWorkspaceMayReachOutOfTheRepository(t *testing.T) {
	top := files(t, map[string]string{"out/go.mod": "module example.com/out\n\ngo 1.26\n", "out/out.go": saying("out", "out")})
	repository := filepath.Join(top, "repository")
	write(t, repository, map[string]string{
		"p/go.mod": "module example.com/p\n\ngo 1.26\n", "p/p_test.go": speaking("\t\"example.com/out\"\n", "out.Say()"),
	})
	write(t, top, map[string]string{"go.work": "go 1.26\n\nuse (\n\t./out\n\t./repository/p\n)\n"})
	run(t, repository, "git", "init", "-q")
	commit(t, repository)
	write(t, repository, map[string]string{"p/p_test.go": "package p\n"})
	old, _ := checkout(t, filepath.Join(repository, "p"))
	if got := says(t, old, "."); got != "out" {
		t.Errorf("%q", got)
	}
}

func TestAReplacementMayReachOutOfTheRepository(t *testing.T) {
	top := files(t, map[string]string{"out/go.mod": "module example.com/out\n\ngo 1.26\n", "out/out.go": saying("out", "out")})
	repository := filepath.Join(top, "repository")
	write(t, repository, map[string]string{
		"in/go.mod": "module example.com/in\n\ngo 1.26\n",
		"in/in.go":  saying("in", "old"),
		"p/go.mod": "module example.com/p\n\ngo 1.26\n\nrequire (\n\texample.com/in v0.0.0\n\texample.com/out v0.0.0\n)\n\n" +
			"replace (\n\texample.com/in => ../in\n\texample.com/out => ../../out\n)\n",
		"p/p_test.go": speaking("\t\"example.com/in\"\n\t\"example.com/out\"\n", "in.Say() + out.Say()"),
	})
	run(t, repository, "git", "init", "-q")
	commit(t, repository)
	write(t, repository, map[string]string{"in/in.go": saying("in", "new")})
	dir := filepath.Join(repository, "p")
	old, _ := checkout(t, dir)
	if got := says(t, old, "."); got != "oldout" {
		t.Errorf("the old tree says %q", got)
	}
	if got := says(t, Tree{Dir: dir}, "."); got != "newout" {
		t.Errorf("the new tree says %q", got)
	}
}

func TestAPackageThatIsNewIsMissingInTheOldTree(t *testing.T) {
	top := files(t, map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p_test.go": "package p\n"})
	run(t, top, "git", "init", "-q")
	commit(t, top)
	write(t, top, map[string]string{"new/deep/n_test.go": "package deep\n"})
	dir := filepath.Join(top, "new", "deep")
	old, _ := checkout(t, dir)
	packages, missing, err := old.List(t.Context(), "example.com/p", "example.com/p/new/deep")
	if err != nil || len(packages) != 1 || packages[0].ImportPath != "example.com/p" || len(missing) != 1 || !strings.HasPrefix(missing[0], "example.com/p/new/deep: ") {
		t.Errorf("packages %v, missing %q, %v", packages, missing, err)
	}
}

func TestChangesAreTheFilesThatABuildCouldWant(t *testing.T) {
	top := files(t, map[string]string{"go.mod": "module example.com/p\n", "gone.txt": "", "README": ""})
	run(t, top, "git", "init", "-q")
	commit(t, top)
	r, err := Open(t.Context(), top)
	if err != nil {
		t.Fatal(err)
	}
	if sources, others, err := r.Changes(t.Context()); err != nil || len(sources)+len(others) > 0 {
		t.Errorf("a clean tree: %q, %q, %v", sources, others, err)
	}
	write(t, top, map[string]string{
		"README": "changed", "a b/ü.go": "package p\n", "x/testdata/input": "", "bench-20261121T160000.txt": "", "notes": "", "x/asm.s": "",
	})
	if err := os.Remove(filepath.Join(top, "gone.txt")); err != nil {
		t.Fatal(err)
	}
	sources, others, err := r.Changes(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(sources)
	if want := []string{"README", "a b/ü.go", "gone.txt", "x/asm.s", "x/testdata/input"}; !slices.Equal(sources, want) {
		t.Errorf("sources %q", sources)
	}
	if !slices.Equal(others, []string{"notes"}) {
		t.Errorf("others %q", others)
	}
}

func TestARevisionThatIsNotThereIsAnError(t *testing.T) {
	top := files(t, map[string]string{"go.mod": "module example.com/p\n"})
	if r, err := Open(t.Context(), top); err == nil {
		t.Errorf("a repository: %+v", r)
	}
	run(t, top, "git", "init", "-q")
	commit(t, top)
	r, err := Open(t.Context(), top)
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range []string{"", "nowhere", "HEAD~1", "--all", "HEAD:go.mod"} {
		if c, err := r.Commit(t.Context(), rev); err == nil || !strings.Contains(err.Error(), "no revision") {
			t.Errorf("%q: %v, %v", rev, c, err)
		}
	}
}

func TestWhatTheCompilerSaysIsShown(t *testing.T) {
	dir := files(t, map[string]string{"go.mod": "module example.com/p\n\ngo 1.26\n", "p_test.go": "package p\n\nvar x int = \"text\"\n"})
	err := Tree{Dir: dir}.Compile(t.Context(), Package{"example.com/p", dir}, filepath.Join(t.TempDir(), "x"))
	if compile := (*CompileError)(nil); !errors.As(err, &compile) || !strings.Contains(compile.Output, "p_test.go:3") {
		t.Errorf("%v", err)
	}
}

func TestAnInterruptedBuildLeavesNothingButBesideItsFile(t *testing.T) {
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip(err)
	}
	dir := files(t, map[string]string{
		"go.mod":    "module example.com/p\n\ngo 1.26\n",
		"p_test.go": "package p\n",
		// It stands for the compiler. The go command asks for versions first.
		"slow": "case \"$*\" in *-V=full*) exec \"$@\";; esac\n: >\"$(dirname \"$0\")/started\"\nexec sleep 1000\n",
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for !exists(filepath.Join(dir, "started")) && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	tree := Tree{Dir: dir, Flags: []string{"-toolexec=sh '" + filepath.Join(dir, "slow") + "'"}}
	err := tree.Compile(ctx, Package{"example.com/p", dir}, filepath.Join(t.TempDir(), "x"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("it was not interrupted: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(os.Getenv("GOTMPDIR"), "*")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestFlagsDecideWhatIsListedAndBuilt(t *testing.T) {
	dir := files(t, map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.26\n", "p_test.go": "//go:build special\n\n" + speaking("", "text"), "p.go": "package p\n\nvar text = \"plain\"\n",
	})
	if packages, _, err := (Tree{Dir: dir}).List(t.Context()); err != nil || len(packages) != 0 {
		t.Errorf("without the tag: %v, %v", packages, err)
	}
	tree := Tree{Dir: dir, Flags: []string{"-tags=special", "-ldflags=-X example.com/p.text=linked"}}
	if got := says(t, tree, "."); got != "linked" {
		t.Errorf("%q", got)
	}
}

func TestWhatAKilledRunHasLeftIsSwept(t *testing.T) {
	parent := t.TempDir()
	t.Setenv("GOTMPDIR", parent)
	ended := exec.Command(os.Args[0], "-test.run=^$")
	if err := ended.Run(); err != nil {
		t.Fatal(err)
	}
	dead, alive := filepath.Join(parent, scratchPrefix+"1"), filepath.Join(parent, scratchPrefix+"2")
	unknown := filepath.Join(parent, scratchPrefix+"3")
	write(t, dead, map[string]string{owner: strconv.Itoa(ended.Process.Pid), "old/file": ""})
	write(t, alive, map[string]string{owner: strconv.Itoa(os.Getpid())})
	write(t, unknown, map[string]string{"file": ""})
	s, err := NewScratch()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Remove() }()
	if exists(dead) || !exists(alive) || !exists(unknown) || !exists(s.Dir) {
		t.Errorf("dead %v, alive %v, unknown %v, own %v", exists(dead), exists(alive), exists(unknown), exists(s.Dir))
	}
}
