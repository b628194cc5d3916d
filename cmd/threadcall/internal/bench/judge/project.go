package judge

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/perf/benchproc"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/measure"
)

// filter returns the results that match the query, which is in the language of benchproc:
// "/size:1024 .unit:ns/op".
func filter(d *measure.Data, query string) (*measure.Data, error) {
	match, err := benchproc.NewFilter(query)
	if err != nil {
		return nil, fmt.Errorf("-filter: %w", err)
	}
	f := like(d, d.Versions)
	for _, r := range d.Results {
		r.Result = r.Result.Clone()
		if ok, err := match.Apply(r.Result); err != nil {
			return nil, fmt.Errorf("-filter: %w", err)
		} else if ok {
			f.Results = append(f.Results, r)
		}
	}
	if len(f.Results) == 0 {
		return nil, fmt.Errorf("-filter %q matches none of the %d results, which have the keys %s",
			query, len(d.Results), keys(d))
	}
	return f, nil
}

// project returns the results with the values of a projection as their versions, which is in the
// language of benchproc: "/subject" compares BenchmarkX/subject=a with BenchmarkX/subject=b. The
// version that a result has had is called .file there.
func project(d *measure.Data, col string) (*measure.Data, error) {
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
	for _, r := range byName(d) { // columns are in the order in which their values were seen first
		columns.Project(r)
	}
	type projected struct {
		measure.Result
		column benchproc.Key
	}
	var kept []projected
	var found []benchproc.Key
	without := 0
	for _, r := range d.Results {
		r.Result = r.Result.Clone()
		if ok, err := match.Apply(r.Result); err != nil {
			return nil, fmt.Errorf("-col: %w", err)
		} else if !ok { // a value that the projection does not list
			continue
		}
		key := columns.Project(r.Result)
		name := rows.Project(r.Result)
		if slices.ContainsFunc(columns.FlattenedFields(),
			func(f *benchproc.Field) bool { return key.Get(f) == "" }) {
			without++
			continue
		}
		r.Name = []byte(name.Get(rows.Fields()[0]))
		kept = append(kept, projected{r, key})
		if !slices.Contains(found, key) {
			found = append(found, key)
		}
	}
	fields := columns.FlattenedFields()
	named := func(name string) bool {
		return slices.ContainsFunc(fields, func(f *benchproc.Field) bool { return f.Name == name })
	}
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("-col %s: no result has that; the keys are %s", col, keys(d))
	case len(d.Versions) > 1 && !named(".file"):
		return nil, fmt.Errorf("-col %s compares results of one version, and there are %d (%s): "+
			"give one, or -col '.file,%[1]s'", col, len(d.Versions), strings.Join(d.Versions, ", "))
	case len(found) == 1:
		return nil, fmt.Errorf("-col %s: all results have the same value, %s; the keys are %s", col,
			columnName(found[0]), keys(d))
	}
	benchproc.SortKeys(found)
	var names []string
	for _, key := range found {
		names = append(names, columnName(key))
	}
	p := like(d, names)
	if without > 0 {
		p.Warn("%d results have no %s and are left out", without, col)
	}
	for _, k := range kept {
		for _, f := range fields { // what makes a column makes no row
			if f.Name[0] != '/' && f.Name[0] != '.' {
				k.SetConfig(f.Name, "")
			}
		}
		p.Add(slices.Index(found, k.column), k.Place, k.Result.Result)
	}
	return p, nil
}

func columnName(key benchproc.Key) string {
	var values []string
	for _, f := range key.Projection().FlattenedFields() {
		values = append(values, key.Get(f))
	}
	return strings.Join(values, " ")
}

// like returns a Data without results, of other versions, that knows what this one knows.
func like(d *measure.Data, versions []string) *measure.Data {
	l := measure.New(versions...)
	l.Units, l.Failures, l.Warnings = d.Units, slices.Clone(d.Failures), slices.Clone(d.Warnings)
	return l
}

// keys returns the parts of names by which results can be chosen.
func keys(d *measure.Data) string {
	keys := []string{".name"}
	for _, r := range d.Results {
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
