package stats

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchproc"
)

// Filter returns the results that match the query, which is in the language of benchproc: "/size:1024 .unit:ns/op".
func (d *Data) Filter(query string) (*Data, error) {
	match, err := benchproc.NewFilter(query)
	if err != nil {
		return nil, fmt.Errorf("-filter: %w", err)
	}
	f := d.like(d.versions)
	for _, r := range d.results {
		r.Result = r.Clone()
		if ok, err := match.Apply(r.Result); err != nil {
			return nil, fmt.Errorf("-filter: %w", err)
		} else if ok {
			f.results = append(f.results, r)
		}
	}
	if len(f.results) == 0 {
		return nil, fmt.Errorf("-filter %q matches none of the %d results, which have the keys %s", query, len(d.results), d.keys())
	}
	return f, nil
}

// Project returns the results with the values of a projection as their versions, which is in the language of benchproc:
// "/subject" compares BenchmarkX/subject=a with BenchmarkX/subject=b. The version that a result has had is called .file
// there.
func (d *Data) Project(col string) (*Data, error) {
	match, err := benchproc.NewFilter("*")
	if err != nil {
		return nil, err
	}
	var parser benchproc.ProjectionParser
	columns, err := parser.Parse(col, match)
	if err != nil {
		return nil, fmt.Errorf("-col: %w", err)
	}
	rows, err := parser.Parse(".fullname", nil)
	if err != nil {
		return nil, err
	}
	for _, r := range d.byName() { // columns are in the order in which their values were seen first
		columns.Project(r)
	}
	type projected struct {
		result
		column benchproc.Key
	}
	var kept []projected
	var keys []benchproc.Key
	without := 0
	for _, r := range d.results {
		r.Result = r.Clone()
		if ok, err := match.Apply(r.Result); err != nil {
			return nil, fmt.Errorf("-col: %w", err)
		} else if !ok { // a value that the projection does not list
			continue
		}
		key := columns.Project(r.Result)
		name := rows.Project(r.Result)
		if slices.ContainsFunc(columns.FlattenedFields(), func(f *benchproc.Field) bool { return key.Get(f) == "" }) {
			without++
			continue
		}
		r.Name = []byte(name.Get(rows.Fields()[0]))
		kept = append(kept, projected{r, key})
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	fields := columns.FlattenedFields()
	named := func(name string) bool {
		return slices.ContainsFunc(fields, func(f *benchproc.Field) bool { return f.Name == name })
	}
	switch {
	case len(keys) == 0:
		return nil, fmt.Errorf("-col %s: no result has that; the keys are %s", col, d.keys())
	case len(d.versions) > 1 && !named(".file"):
		return nil, fmt.Errorf("-col %s compares results of one version, and there are %d (%s): give one, or -col '.file,%[1]s'",
			col, len(d.versions), strings.Join(d.versions, ", "))
	case len(keys) == 1:
		return nil, fmt.Errorf("-col %s: all results have the same value, %s; the keys are %s", col, columnName(keys[0]), d.keys())
	}
	benchproc.SortKeys(keys)
	var names []string
	for _, key := range keys {
		names = append(names, columnName(key))
	}
	p := d.like(names)
	if without > 0 {
		p.Warnings = append(p.Warnings, fmt.Sprintf("%d results have no %s and are left out", without, col))
	}
	for _, k := range kept {
		for _, f := range fields { // what makes a column makes no row
			if f.Name[0] != '/' && f.Name[0] != '.' {
				k.SetConfig(f.Name, "")
			}
		}
		p.add(slices.Index(keys, k.column), k.place, k.Result)
	}
	return p, nil
}

// byName returns the results of runs, which shuffle, in the order of their names, and those of other files as they stand
// there.
func (d *Data) byName() (all []*benchfmt.Result) {
	shuffled := true
	for _, r := range d.results {
		all = append(all, r.Result)
		shuffled = shuffled && r.number >= 0
	}
	if shuffled {
		slices.SortStableFunc(all, func(a, b *benchfmt.Result) int { return natural(a.Name.String(), b.Name.String()) })
	}
	return all
}

func columnName(key benchproc.Key) string {
	var values []string
	for _, f := range key.Projection().FlattenedFields() {
		values = append(values, key.Get(f))
	}
	return strings.Join(values, " ")
}

// like returns a Data without results, of other versions, that knows what this one knows.
func (d *Data) like(versions []string) *Data {
	l := New(versions...)
	l.Units, l.Failures, l.Warnings = d.Units, slices.Clone(d.Failures), slices.Clone(d.Warnings)
	return l
}

// keys returns the parts of names by which results can be chosen.
func (d *Data) keys() string {
	keys := []string{".name"}
	for _, r := range d.results {
		_, parts := r.Name.Parts()
		for _, part := range parts {
			key, _, ok := strings.Cut(string(part), "=")
			if part[0] == '-' {
				key, ok = "/gomaxprocs", true
			}
			if ok && !slices.Contains(keys, key) {
				keys = append(keys, key)
			}
		}
	}
	return strings.Join(keys, ", ")
}
