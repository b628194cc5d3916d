package allocs

import (
	"fmt"
	"io"

	"github.com/google/pprof/profile"
)

// WriteProfile writes the run in pprof's format, with the runtime's frames and a label with the size of the objects. Of
// a benchmark these are a thousand operations, because pprof counts in whole numbers.
func (r *Run) WriteProfile(w io.Writer) error {
	factor := 1.0
	if r.PerOp {
		factor = 1000
	}
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "alloc_objects", Unit: "count"}, {Type: "alloc_space", Unit: "bytes"}},
		PeriodType:    &profile.ValueType{Type: "space", Unit: "bytes"},
		Period:        1,
		DurationNanos: int64(r.Seconds * 1e9),
		Comments:      []string{r.Package + " " + r.Name},
	}
	if r.PerOp {
		p.Comments = append(p.Comments, "amounts are of 1000 operations")
	}
	functions := map[string]*profile.Function{}
	locations := map[string]*profile.Location{}
	for _, s := range r.profile.Samples {
		amount := s.Once
		if r.PerOp {
			amount = s.Each
		}
		values := []int64{int64(amount.Objects*factor + 0.5), int64(amount.Bytes*factor + 0.5)}
		if values[0] <= 0 {
			continue
		}
		sample := &profile.Sample{Value: values, NumLabel: map[string][]int64{"bytes": {s.Size}}}
		for i := 0; i < len(s.Stack); {
			chain := s.Stack.Chain(i)
			i += len(chain)
			key := fmt.Sprint(chain)
			loc := locations[key]
			if loc == nil {
				loc = &profile.Location{ID: uint64(len(locations) + 1)}
				for _, f := range chain {
					fn := functions[f.Function+f.File]
					if fn == nil {
						fn = &profile.Function{ID: uint64(len(functions) + 1), Name: f.Function, SystemName: f.Function, Filename: f.File}
						functions[f.Function+f.File] = fn
						p.Function = append(p.Function, fn)
					}
					loc.Line = append(loc.Line, profile.Line{Function: fn, Line: int64(f.Line)})
				}
				locations[key] = loc
				p.Location = append(p.Location, loc)
			}
			sample.Location = append(sample.Location, loc)
		}
		p.Sample = append(p.Sample, sample)
	}
	if err := p.CheckValid(); err != nil {
		return err
	}
	return p.Write(w)
}
