package store_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/store"
)

func TestTheDirectoryIsAtTheRoot(t *testing.T) {
	top := t.TempDir()
	sub := filepath.Join(top, "module", "package")
	if err := os.MkdirAll(sub, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ mark, want string }{
		{"", sub}, // unless a parent of the temporary directory is in a repository
		{"module/go.mod", filepath.Join(top, "module")},
		{".git", top},
	} {
		if c.mark != "" {
			if err := os.WriteFile(filepath.Join(top, c.mark), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		} else if above := store.Dir(top); above != filepath.Join(top, store.Name) {
			continue
		}
		if got := store.Dir(sub); got != filepath.Join(c.want, store.Name) {
			t.Errorf("with %s: %s, want it in %s", c.mark, got, c.want)
		}
	}
}

func TestWhatIsSavedIsListedInItsOrder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]", store.Name)
	results := filepath.Join(t.TempDir(), "x.txt")
	const text = "cpu: Some CPU @ 1 GHz\nBenchmarkX 1 1 ns/op\n"
	if err := os.WriteFile(results, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, n := range []int{1, 0} {
		s := store.Saved{Label: "main", Saved: day.AddDate(0, 0, n), Commit: strings.Repeat("ab", 20), Changed: n == 1, Machine: store.Machine{CPU: store.CPU(results)}}
		if _, err := store.Save(dir, s, results); err != nil {
			t.Fatal(err)
		}
	}
	all, err := store.List(dir, "main")
	if err != nil || len(all) != 2 || !all[0].Saved.Equal(day) || all[0].Short() != "abababa" || all[1].Short() != "abababa+" || all[0].Machine.CPU != "Some CPU @ 1 GHz" {
		t.Fatalf("%+v, %v", all, err)
	}
	if saved, err := os.ReadFile(all[0].File); err != nil || !strings.HasPrefix(string(saved), "# ") || !strings.HasSuffix(string(saved), "\n"+text) {
		t.Errorf("%s, %v", saved, err)
	}
	if ignored, err := os.ReadFile(filepath.Join(dir, ".gitignore")); string(ignored) != "*\n" {
		t.Errorf("%q, %v", ignored, err)
	}
	if labels := store.Labels(dir); !slices.Equal(labels, []string{"main"}) {
		t.Errorf("%q", labels)
	}
	if _, err := store.List(dir, "other"); err == nil || !strings.Contains(err.Error(), "there are results of main") {
		t.Error(err)
	}
	for _, label := range []string{"", "..", "a/b", "-x", "ü"} {
		if _, err := store.Save(dir, store.Saved{Label: label}, results); err == nil {
			t.Errorf("%q is a label", label)
		}
	}
}

func TestMachinesOfAKindDifferInTheirName(t *testing.T) {
	m := store.Machine{Host: "a", CPU: "x", CPUs: 2, OS: "linux", Arch: "amd64"}
	other, slower := m, m
	other.Host, slower.CPU = "b", "y"
	if !m.SameKind(other) || m.SameKind(slower) {
		t.Error("the kind is not what matters")
	}
}
