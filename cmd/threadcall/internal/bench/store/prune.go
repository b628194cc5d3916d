package store

import (
	"bufio"
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// What Prune keeps of the results that runs have left without being told to.
const (
	KeepRuns = 20                  // the newest, whatever their age and size
	KeepFor  = 30 * 24 * time.Hour // others
	KeepSize = 100 << 20           // bytes of all
)

// left matches the name of a file that a run has left, with its time and version.
var left = regexp.MustCompile(`^([0-9]{8}T[0-9]{6})(?:-(.+))?\.txt$`)

// Prune removes results from dir, the one of this package, that runs have left there without being told to, and returns of
// how many runs: of those beyond the newest KeepRuns, the ones that are older than KeepFor, and the oldest if all together are
// larger than KeepSize. What the user has chosen the name of, and what is not of a run, stays.
func Prune(dir string, now time.Time) (runs int, err error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return 0, err
	}
	type run struct {
		name  string // its time
		files []string
		last  time.Time
		size  int64
	}
	var all []*run // the oldest first, as ReadDir sorts
	for _, e := range entries {
		parts := left.FindStringSubmatch(e.Name())
		file := filepath.Join(dir, e.Name())
		if parts == nil || !e.Type().IsRegular() || !leftBy(file, parts[2]) {
			continue
		}
		at, err := e.Info()
		if err != nil {
			continue // it is gone
		}
		i := slices.IndexFunc(all, func(r *run) bool { return r.name == parts[1] })
		if i < 0 {
			i = len(all)
			all = append(all, &run{name: parts[1]})
		}
		r := all[i]
		r.files, r.size = append(r.files, file), r.size+at.Size()
		if at.ModTime().After(r.last) {
			r.last = at.ModTime()
		}
	}
	slices.SortStableFunc(all, func(a, b *run) int { return cmp.Or(a.last.Compare(b.last), cmp.Compare(a.name, b.name)) })
	size := int64(0)
	for _, r := range all {
		size += r.size
	}
	var errs []error
	for _, r := range all[:max(0, len(all)-KeepRuns)] {
		if now.Sub(r.last) <= KeepFor && size <= KeepSize {
			continue
		}
		for _, file := range r.files {
			errs = append(errs, os.Remove(file))
		}
		size -= r.size
		runs++
	}
	return runs, errors.Join(errs...)
}

// leftBy reports whether a file begins as those that a run leaves, and is about this version; empty is the only one.
func leftBy(file, version string) bool {
	f, err := os.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	if version != "" {
		version += ", "
	}
	head := bufio.NewReader(io.LimitReader(f, 1<<20))
	for _, begin := range []string{"# threadcall bench, ", "# command: ", "# version: " + version} {
		line, err := head.ReadString('\n')
		if err != nil || !strings.HasPrefix(line, begin) {
			return false
		}
	}
	return true
}
