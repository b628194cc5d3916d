// Package measuretest makes results for tests.
package measuretest

import (
	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/measure"
)

// Add adds values in turn with their units, which are tidied, of a benchmark in a round.
func Add(d *measure.Data, version, round int, name string, values ...any) {
	r := &benchfmt.Result{Name: benchfmt.Name(name), Iters: 1}
	for i := 0; i < len(values); i += 2 {
		r.Values = append(r.Values, benchfmt.Value{Value: values[i].(float64),
			Unit: values[i+1].(string)})
	}
	d.Add(version, round, r)
}
