package symbol

import "testing"

func TestPackage_Short(t *testing.T) {
	for function, want := range map[string][2]string{
		"a.com/b/c.F":                     {"a.com/b/c", "c.F"},
		"a.com/b/c.(*T).M.func1":          {"a.com/b/c", "c.(*T).M.func1"},
		"a.com/b%2ego.F":                  {"a.com/b.go", "b.go.F"},
		"a.com/b-c/d_e.F":                 {"a.com/b-c/d_e", "d_e.F"},
		"c.F[a.com/d.T]":                  {"c", "c.F[d.T]"},
		"x/c.F[*a.com/d.T,map[b/e.U]f.V]": {"x/c", "c.F[*d.T,map[e.U]f.V]"},
		"x/c.(*L[go.shape.struct { a/b.X; Y []c/d.Z }]).M": {"x/c",
			"c.(*L[go.shape.struct { b.X; Y []d.Z }]).M"},
		"a.com/b.F[...]":                  {"a.com/b", "b.F[...]"},
		"runtime.mallocgc":                {"runtime", "runtime.mallocgc"},
		"internal/runtime/maps.newGroups": {"internal/runtime/maps", "maps.newGroups"},
		"main.f":                          {"main", "main.f"},
		"":                                {"", ""},
	} {
		if p, s := Package(function), Short(function); p != want[0] || s != want[1] {
			t.Errorf("%s: %q, %q", function, p, s)
		}
	}
}
