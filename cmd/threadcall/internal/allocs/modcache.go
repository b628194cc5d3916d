package allocs

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// The go command lets no file be replaced in the module cache. A module there whose package is named is copied, and its
// package compiled from the copy, as if a replace directive had the copy.

// copies returns the settings with copies of the modules of the named packages that are in the module cache, and where
// those are in dir. There are none if no package is from there.
func (s Settings) copies(ctx context.Context, named []gotest.Package, dir string) (Settings, []move, error) {
	tree := s.tree()
	if !slices.ContainsFunc(named, func(p gotest.Package) bool { return !p.Standard && p.Module != nil && !p.Module.Main }) {
		return s, nil, nil
	}
	env, err := tree.Go(ctx, "env", "GOMODCACHE", "GOWORK", "GOMOD")
	if err != nil {
		return s, nil, err
	}
	lines := strings.Split(strings.ReplaceAll(string(env), "\r", ""), "\n")
	if len(lines) < 3 {
		return s, nil, fmt.Errorf("go env: %q", env)
	}
	cache, work, mod := lines[0], lines[1], lines[2]
	var replace []string
	var moves []move
	for _, p := range named {
		if p.Standard || p.Module == nil || p.Module.Main || cache == "" || !below(p.Dir, cache) {
			continue
		}
		out, err := tree.Go(ctx, slices.Concat([]string{"list", "-f", "{{.Module.Path}}\t{{.Module.Version}}\t{{.Module.Dir}}"}, tree.Flags, []string{"--", p.ImportPath})...)
		if err != nil {
			return s, nil, err
		}
		fields := strings.Split(strings.TrimSpace(string(out)), "\t")
		if len(fields) != 3 || slices.ContainsFunc(moves, func(m move) bool { return m.to == fields[2] }) {
			continue
		}
		name, _, _ := strings.Cut(filepath.Base(fields[2]), "@")
		to := filepath.Join(dir, "modules", fmt.Sprint(len(moves)), name)
		s.Progress("copying " + fields[0] + " from the module cache")
		if err := copyDir(fields[2], to); err != nil {
			return s, nil, fmt.Errorf("copying %s, because nothing can be added in the module cache: %w", fields[2], err)
		}
		if err := ensureModule(to, fields[0]); err != nil {
			return s, nil, err
		}
		moves = append(moves, move{to, fields[2]})
		replace = append(replace, "-replace="+fields[0]+"@"+fields[1]+"="+to)
	}
	if moves == nil {
		return s, nil, nil
	}
	if work != "" && work != "off" {
		file := filepath.Join(dir, "go.work")
		if err := copyWorkspace(ctx, tree, work, file); err != nil {
			return s, nil, err
		}
		if _, err := tree.Go(ctx, slices.Concat([]string{"work", "edit"}, replace, []string{file})...); err != nil {
			return s, nil, err
		}
		tree.Env = append(tree.Environ(), "GOWORK="+file)
	} else {
		file := filepath.Join(dir, "copied.mod")
		for from, to := range map[string]string{mod: file, strings.TrimSuffix(mod, ".mod") + ".sum": filepath.Join(dir, "copied.sum")} {
			text, err := os.ReadFile(from)
			if err != nil && from == mod {
				return s, nil, err
			}
			if err := os.WriteFile(to, text, 0o666); err != nil {
				return s, nil, err
			}
		}
		if _, err := tree.Go(ctx, slices.Concat([]string{"mod", "edit"}, replace, []string{file})...); err != nil {
			return s, nil, err
		}
		tree.Flags = append(slices.Clone(tree.Flags), "-mod=mod", "-modfile="+file)
	}
	s.base = &tree
	return s, moves, nil
}

func below(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && rest != "" && os.IsPathSeparator(rest[0])
}

// copyWorkspace writes the workspace so that it may be in another directory.
func copyWorkspace(ctx context.Context, tree gotest.Tree, from, to string) error {
	out, err := tree.Go(ctx, "work", "edit", "-json", from)
	if err != nil {
		return err
	}
	var w struct {
		Go  string
		Use []struct{ DiskPath string }

		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal(out, &w); err != nil {
		return err
	}
	absolute := func(path string) string {
		if !filepath.IsAbs(path) {
			path = filepath.Join(filepath.Dir(from), filepath.FromSlash(path))
		}
		return path
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "go %s\n", w.Go)
	for _, u := range w.Use {
		fmt.Fprintf(&b, "use %q\n", absolute(u.DiskPath))
	}
	for _, r := range w.Replace {
		path := r.New.Path
		if r.New.Version == "" {
			path = absolute(path)
		}
		fmt.Fprintf(&b, "replace %s %s => %q %s\n", r.Old.Path, r.Old.Version, path, r.New.Version)
	}
	if sum, err := os.ReadFile(from + ".sum"); err == nil {
		if err := os.WriteFile(to+".sum", sum, 0o666); err != nil {
			return err
		}
	}
	return os.WriteFile(to, b.Bytes(), 0o666)
}

// copyDir copies a module, whose files may be written in the copy.
func copyDir(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rest, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.MkdirAll(filepath.Join(to, rest), 0o755)
		}
		if !d.Type().IsRegular() {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rest), text, 0o644)
	})
}

// ensureModule gives a module from before modules its go.mod, which is outside of it in the cache.
func ensureModule(dir, path string) error {
	name := filepath.Join(dir, "go.mod")
	if _, err := os.Stat(name); err == nil {
		return nil
	}
	return os.WriteFile(name, []byte("module "+path+"\n"), 0o666)
}
