package store_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/store"
)

const day = 24 * time.Hour

// results writes a file of results that is so old, and as large as the size, which takes no room on the disk.
func results(t *testing.T, file, version string, age time.Duration, size int64) {
	t.Helper()
	text := fmt.Sprintf("# threadcall bench, 2026-01-02T03:04:05Z\n# command: threadcall bench\n# version: %s, the working tree\n", version)
	err := os.MkdirAll(filepath.Dir(file), 0o777)
	if err == nil {
		err = os.WriteFile(file, []byte(text), 0o666)
	}
	if err == nil && size > 0 {
		err = os.Truncate(file, size)
	}
	if err == nil {
		at := time.Now().Add(-age)
		err = os.Chtimes(file, at, at)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

func TestOldResultsAreRemovedAndTheNewestStay(t *testing.T) {
	dir := filepath.Join(t.TempDir(), store.Name)
	var want []string
	for i := range store.KeepRuns + 3 {
		stamp := fmt.Sprintf("20260101T0000%02d", i)
		for _, version := range []string{"old", "new"} {
			name := stamp + "-" + version + ".txt"
			results(t, filepath.Join(dir, name), version, 100*day-time.Duration(i)*time.Hour, 0)
			if i >= 3 {
				want = append(want, name)
			}
		}
	}
	slices.Sort(want)
	if n, err := store.Prune(dir, time.Now()); n != 3 || err != nil {
		t.Errorf("%d runs removed, %v", n, err)
	}
	if got := names(t, dir); !slices.Equal(got, want) {
		t.Errorf("left %q", got)
	}
}

func TestOfMoreThanTheSizeTheOldestAreRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), store.Name)
	for i := range store.KeepRuns + 10 {
		size := int64(0)
		if i < 5 {
			size = store.KeepSize / 4
		}
		results(t, filepath.Join(dir, fmt.Sprintf("20260101T0000%02d.txt", i)), "now", 10*day-time.Duration(i)*time.Hour, size)
	}
	if n, err := store.Prune(dir, time.Now()); n != 2 || err != nil { // five are above the size by themselves, and the others have a few bytes
		t.Errorf("%d runs removed, %v", n, err)
	}
	if got := names(t, dir); len(got) != store.KeepRuns+8 || got[0] != "20260101T000002.txt" {
		t.Errorf("left %q", got)
	}
}

func TestWhatTheUserHasSavedIsNeverRemoved(t *testing.T) {
	dir := filepath.Join(t.TempDir(), store.Name)
	keep := []string{
		"saved/20260101T000000.txt",
		"before.txt", "before-old.txt", // -o
		"20260101T000000-mine.txt", // another name than the version's
		".gitignore",
	}
	for _, name := range keep {
		results(t, filepath.Join(dir, name), "old", 1000*day, store.KeepSize)
	}
	foreign := filepath.Join(dir, "20260101T000000-old.txt") // of another program
	if err := os.WriteFile(foreign, []byte(strings.Repeat("BenchmarkX 1 1 ns/op\n", 3)), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(foreign, time.Time{}, time.Now().Add(-1000*day)); err != nil {
		t.Fatal(err)
	}
	for i := range store.KeepRuns + 1 {
		results(t, filepath.Join(dir, fmt.Sprintf("20260601T0000%02d.txt", i)), "now", 900*day-time.Duration(i)*time.Hour, 0)
	}
	if n, err := store.Prune(dir, time.Now()); n != 1 || err != nil {
		t.Errorf("%d runs removed, %v", n, err)
	}
	for _, name := range append(keep, filepath.Base(foreign)) {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
