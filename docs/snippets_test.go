package docs

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A block is a piece of code of a page.
type block struct{ language, text string }

// blocks returns those of a page from one heading to another, or to the end.
func blocks(t *testing.T, name, heading, end string) (all []block) {
	page, err := os.ReadFile("../" + name)
	if err != nil {
		t.Fatal(err)
	}
	_, part, ok := strings.Cut(string(page), heading+"\n")
	if !ok {
		t.Fatalf("%s has no %q", name, heading)
	}
	if end != "" {
		part, _, _ = strings.Cut(part, end+"\n")
	}
	fenced := regexp.MustCompile("(?ms)^```(\\w*)\n(.*?)^```$")
	for _, m := range fenced.FindAllStringSubmatch(part, -1) {
		all = append(all, block{m[1], m[2]})
	}
	return all
}

// play does what a reader does with a page: it writes the Go files whose names are their first
// lines, runs the commands in a directory next to a clone, and compares what they print with the
// block without a language that follows.
func play(t *testing.T, all []block) {
	parent := t.TempDir()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(parent, "threadcall")); err != nil {
		t.Skip(err)
	}
	env, err := exec.Command("go", "env", "GOMODCACHE", "GOPROXY").Output()
	if err != nil {
		t.Fatal(err)
	}
	cache, proxy, _ := strings.Cut(strings.TrimSpace(string(env)), "\n")
	dir, printed := parent, ""
	for _, b := range all {
		switch b.language {
		case "go":
			first, _, _ := strings.Cut(b.text, "\n")
			name, ok := strings.CutPrefix(first, "// ")
			if !ok || !strings.HasSuffix(name, ".go") {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(b.text), 0o666); err != nil {
				t.Fatal(err)
			}
		case "sh":
			t.Log(b.text)
			// the directory of one block is that of the next
			cmd := exec.CommandContext(t.Context(), "bash", "-euc", b.text+"\npwd >"+parent+"/dir")
			cmd.Dir, cmd.WaitDelay = dir, time.Minute
			// what this machine has need not be downloaded again
			cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=", "GONOSUMDB=github.com",
				"GOPROXY=file://"+filepath.ToSlash(cache)+"/cache/download,"+proxy)
			var errors strings.Builder
			cmd.Stderr = &errors
			out, err := cmd.Output()
			if err != nil && strings.Contains(errors.String(), "dial tcp") {
				t.Skip("NOT TESTED: a module cannot be downloaded: ", errors.String())
			}
			if err != nil {
				t.Fatalf("%v\n%s%s", err, out, errors.String())
			}
			printed = string(out)
			where, err := os.ReadFile(parent + "/dir")
			if err != nil {
				t.Fatal(err)
			}
			dir = strings.TrimSpace(string(where))
		case "":
			if printed != b.text {
				t.Errorf("it prints\n%s\nand the page says\n%s", printed, b.text)
			}
		}
	}
}

// TestStart does all of start.md, on a screen in memory.
func TestStart(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles GLFW")
	}
	needs := "x11 xrandr xcursor xinerama xi xxf86vm gl wayland-client xkbcommon"
	for _, cmd := range []*exec.Cmd{
		exec.Command("pkg-config", append([]string{"--exists"}, strings.Fields(needs)...)...),
		exec.Command("gcc", "--version"), exec.Command("xvfb-run", "--help"),
	} {
		if err := cmd.Run(); err != nil {
			t.Skipf("NOT TESTED: start.md needs what .ci/setup gui installs: %v: %v", cmd.Args, err)
		}
	}
	all := blocks(t, "docs/start.md", "# Start", "")
	if len(all) < 11 {
		t.Errorf("start.md has %d blocks", len(all))
	}
	for i, b := range all {
		if b.language == "sh" {
			all[i].text = strings.ReplaceAll(b.text, "go run .", "xvfb-run -a go run .")
		}
	}
	play(t, all)
}

// TestStart_firstProgram does what start.md says of a program without a window.
func TestStart_firstProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles a program")
	}
	play(t, blocks(t, "docs/start.md", "## 1. A first program", "## 2. A window"))
}

// TestReadme runs the demo as README.md has it, and compiles its code.
func TestReadme(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles programs")
	}
	prelude, err := os.ReadFile("testdata/readme.txt")
	if err != nil {
		t.Fatal(err)
	}
	ran, compiled := false, false
	for _, b := range blocks(t, "README.md", "# threadcall", "") {
		demo, _, _ := strings.Cut(b.text, " #")
		cmd := exec.Command("sh", "-c", strings.TrimSpace(demo))
		cmd.Dir = ".."
		switch {
		case strings.HasPrefix(demo, "go run ./cmd/threadcall demo"):
			ran = true
		case b.language == "go":
			name := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(name, append(prelude, b.text...), 0o666); err != nil {
				t.Fatal(err)
			}
			cmd, compiled = exec.Command("go", "vet", name), true
		default:
			continue
		}
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", b.text, err, out)
		}
	}
	if !ran || !compiled {
		t.Error("README.md has no demo, or no code")
	}
}
