package build

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A move makes that a tree means the same in another directory: what its go.work and go.mod files say by path.
type move struct {
	from, to string // roots of the repository's working tree and of the worktree
	tree     Tree   // the one in from
}

type replacement struct {
	Old, New struct{ Path, Version string }
}

// workspace gives the old tree the workspace that the new one has, if any. Its go.work is the one of the commit, or the
// new tree's where git does not know it; written anew, so that it may stand in scratch and paths out of the repository
// still lead to where they did.
func (m move) workspace(ctx context.Context, old *Tree, scratch string) error {
	out, err := m.tree.run(ctx, "env", "GOWORK")
	if err != nil {
		return err
	}
	file := strings.TrimSpace(string(out))
	if file == "" || file == "off" {
		return nil
	}
	file, err = filepath.EvalSymlinks(file) // as git does with the root
	if err != nil {
		return err
	}
	source := file
	if inside(m.from, file) {
		if _, err := git(ctx, m.from, "ls-files", "--error-unmatch", "--", file); err == nil {
			source = m.moved(file)
		} else if ctx.Err() != nil {
			return ctx.Err()
		}
	}
	if !exists(source) { // the commit had no workspace
		old.Env = append(old.Env[:len(old.Env):len(old.Env)], "GOWORK=off")
		return nil
	}
	target := filepath.Join(scratch, "go.work")
	for _, suffix := range []string{"", ".sum"} {
		if text, err := os.ReadFile(source + suffix); err == nil {
			if err := os.WriteFile(target+suffix, text, 0o600); err != nil {
				return err
			}
		}
	}
	var work struct {
		Use     []struct{ DiskPath string }
		Replace []replacement
	}
	if err := m.read(ctx, &work, "work", "edit", "-json", target); err != nil {
		return err
	}
	args := []string{"work", "edit"}
	for _, use := range work.Use {
		args = append(args, "-dropuse="+use.DiskPath)
	}
	for _, use := range work.Use {
		if dir := m.place(filepath.Dir(file), use.DiskPath); exists(filepath.Join(dir, "go.mod")) {
			args = append(args, "-use="+dir)
		}
	}
	args = append(args, m.replacements(filepath.Dir(file), work.Replace, true)...)
	if _, err := m.tree.run(ctx, append(args, target)...); err != nil {
		return err
	}
	old.Env = append(old.Env[:len(old.Env):len(old.Env)], "GOWORK="+target)
	return nil
}

// modules lets the main modules of the old tree replace others by the same directories outside of the repository.
func (m move) modules(ctx context.Context, old Tree) error {
	out, err := old.run(ctx, "list", "-m", "-f", "{{.GoMod}}")
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return nil // no module there; what lists its packages will say so
	}
	for file := range strings.Lines(string(out)) {
		file = strings.TrimSpace(file)
		if !inside(m.to, file) || exists(filepath.Join(filepath.Dir(file), "vendor", "modules.txt")) {
			continue
		}
		var mod struct{ Replace []replacement }
		if err := m.read(ctx, &mod, "mod", "edit", "-json", file); err != nil {
			return err
		}
		rel, err := filepath.Rel(m.to, filepath.Dir(file))
		if err != nil {
			return err
		}
		if args := m.replacements(filepath.Join(m.from, rel), mod.Replace, false); len(args) > 0 {
			if _, err := m.tree.run(ctx, append(append([]string{"mod", "edit"}, args...), file)...); err != nil {
				return err
			}
		}
	}
	return nil
}

// replacements returns the flags of go mod edit that change those of the replacements, said by a file that was in dir,
// that have to change; if the file has moved, those within the repository, too.
func (m move) replacements(dir string, all []replacement, fileMoved bool) (args []string) {
	for _, r := range all {
		if r.New.Version != "" || r.New.Path == "" { // by a module, not by a directory
			continue
		}
		target := m.place(dir, r.New.Path)
		if !fileMoved && !filepath.IsAbs(r.New.Path) && inside(m.to, target) {
			continue
		}
		name := r.Old.Path
		if r.Old.Version != "" {
			name += "@" + r.Old.Version
		}
		args = append(args, "-replace="+name+"="+target)
	}
	return args
}

// place returns where the old tree finds what a file in dir, within the new one, calls path.
func (m move) place(dir, path string) string {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	if inside(m.from, path) {
		return m.moved(path)
	}
	return path
}

func (m move) moved(path string) string {
	rel, err := filepath.Rel(m.from, path)
	if err != nil {
		return path
	}
	return filepath.Join(m.to, rel)
}

// read reads the JSON that the go command writes.
func (m move) read(ctx context.Context, to any, args ...string) error {
	out, err := m.tree.run(ctx, args...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(out, to); err != nil {
		return fmt.Errorf("go %s: %w", strings.Join(args[:2], " "), err)
	}
	return nil
}
