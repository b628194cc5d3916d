package stats

import (
	"fmt"
	"regexp"
)

// suffix is what package testing appends to a name if GOMAXPROCS is not 1.
var suffix = regexp.MustCompile(`-[0-9]+$`)

// procs returns a warning for each version that has no benchmark in common with the first one, if that is because
// GOMAXPROCS, which is part of the names, was different.
func (d *Data) procs() []string {
	names := make([]map[string]bool, len(d.versions))
	bare := make([]map[string]string, len(d.versions)) // with one of their numbers
	for v := range names {
		names[v], bare[v] = map[string]bool{}, map[string]string{}
	}
	for _, r := range d.results {
		name := r.Name.String()
		number := suffix.FindString(name)
		names[r.version][name] = true
		bare[r.version][name[:len(name)-len(number)]] = number
	}
	var warnings []string
	for v := 1; v < len(names); v++ {
		common, example := false, ""
		for name := range names[v] {
			common = common || names[0][name]
		}
		for name := range bare[v] {
			if _, ok := bare[0][name]; ok && (example == "" || name < example) {
				example = name
			}
		}
		if !common && example != "" {
			warnings = append(warnings, fmt.Sprintf("%s and %s have no benchmark in common because they ran with different GOMAXPROCS (%s%s and %s%s): measure both with the same -cpu",
				d.versions[0], d.versions[v], example, bare[0][example], example, bare[v][example]))
		}
	}
	return warnings
}
