package digest

import (
	"path"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
)

// Names returns a function of rows: the name to show. It is without the number of CPUs that all names end with, and if there
// are several packages, it has the part of the package's path in which they differ.
func Names(c *stats.Comparison) func(stats.Row) string {
	suffix, common := "", ""
	first := true
	for _, t := range c.Tables {
		for _, row := range t.Rows {
			s := procs(row.Name)
			if first {
				suffix, common, first = s, row.Package, false
			}
			if s != suffix {
				suffix = ""
			}
			for common != "" && row.Package != common && !strings.HasPrefix(row.Package, common+"/") {
				if common = path.Dir(common); common == "." {
					common = ""
				}
			}
		}
	}
	several := c.Packages() > 1
	return func(r stats.Row) string {
		name := strings.TrimSuffix(r.Name, suffix)
		if !several || r.Package == "" {
			return name
		}
		pkg := strings.TrimPrefix(strings.TrimPrefix(r.Package, common), "/")
		if pkg == "" {
			pkg = path.Base(r.Package)
		}
		return pkg + "." + name
	}
}

// procs returns the end of a name such as "-8".
func procs(name string) string {
	i := strings.LastIndexByte(name, '-')
	if i < 0 || i+1 == len(name) || strings.Trim(name[i+1:], "0123456789") != "" {
		return ""
	}
	return name[i:]
}
