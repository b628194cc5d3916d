package allocations

import (
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func BenchmarkValue(b *testing.B) {
	for b.Loop() {
		Value(21)
	}
}

func BenchmarkAddress(b *testing.B) {
	for b.Loop() {
		Address(21)
	}
}

func BenchmarkParameter(b *testing.B) {
	for b.Loop() {
		var res int
		Parameter(21, &res)
	}
}

func BenchmarkCopy(b *testing.B) {
	for b.Loop() {
		Copy()
	}
}

func BenchmarkPointer(b *testing.B) {
	for b.Loop() {
		Pointer()
	}
}

// TestCreate is what the article traces.
func TestCreate(t *testing.T) {
	const structs = 20_000_000
	t.Run("copy", func(*testing.T) {
		for range structs {
			_ = Copy()
		}
	})
	t.Run("pointer", func(*testing.T) {
		for range structs {
			_ = Pointer()
		}
	})
}

// TestCommand checks what README.md quotes of the command threadcall.
func TestCommand(t *testing.T) {
	command := filepath.Join(t.TempDir(), "threadcall.exe")
	build := exec.Command("go", "build", "-o", command, ".")
	build.Dir = "../../cmd/threadcall"
	build.Env = append(os.Environ(), "GOWORK=") // its own
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	report := func(t *testing.T, into any, args ...string) {
		t.Helper()
		cmd := exec.Command(command, args...)
		cmd.Stderr = t.Output()
		out, err := cmd.Output()
		if err == nil {
			err = json.Unmarshal(out, into)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	source, err := os.ReadFile("allocations.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	type row struct {
		Where struct {
			Function string
			Line     int
		}
		Why string
	}
	var allocs struct {
		Runs []struct {
			Name  string
			Total struct{ Bytes float64 }
			Rows  []row
		}
	}
	// So many operations that what the runtime allocates meanwhile is less than a byte of each.
	report(t, &allocs, "allocs", "-json", "-benchtime", "20000x", ".")
	for _, want := range []struct {
		name, line, why string
		bytes           float64
	}{
		{name: "Value"},
		{"Address", "res := 2 * n", "res escapes to heap: returned (return &res at ", 8},
		{name: "Parameter"},
		{name: "Copy"},
		{"Pointer", "return &Struct{", "&Struct{...} escapes to heap: returned (", 80},
	} {
		t.Run("allocs/"+want.name, func(t *testing.T) {
			for _, run := range allocs.Runs {
				if run.Name != "Benchmark"+want.name {
					continue
				}
				if math.Abs(run.Total.Bytes-want.bytes) > 0.5 {
					t.Fatalf("%v bytes, not %v", run.Total.Bytes, want.bytes)
				}
				if want.bytes == 0 {
					return
				}
				r := run.Rows[0] // the largest
				if line := lines[r.Where.Line-1]; !strings.Contains(line, want.line) ||
					!strings.HasSuffix(r.Where.Function, "allocations."+want.name) ||
					!strings.HasPrefix(r.Why, want.why) {
					t.Errorf("%s, %q: %s", r.Where.Function, line, r.Why)
				}
				return
			}
			t.Error("not in the report")
		})
	}
	for _, name := range []string{"copy", "pointer"} {
		t.Run("trace/"+name, func(t *testing.T) {
			var trace struct{ GC struct{ Cycles int } }
			file := filepath.Join(t.TempDir(), "trace")
			record := exec.Command("go", "test", "-run", "^TestCreate$/^"+name+"$", "-trace", file,
				"-o", os.DevNull, ".")
			if out, err := record.CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			report(t, &trace, "trace", "-json", file)
			if collected := trace.GC.Cycles > 0; collected != (name == "pointer") {
				t.Errorf("%d collections", trace.GC.Cycles)
			}
		})
	}
}
