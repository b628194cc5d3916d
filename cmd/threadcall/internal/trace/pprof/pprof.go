// Package pprof writes the waits of a trace as a profile, as go tool trace -pprof does.
package pprof

import (
	"io"

	"github.com/google/pprof/profile"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// Write writes the profile of a total that has samples.
func Write(w io.Writer, t report.Total, of report.Trace) error {
	p := &profile.Profile{
		SampleType:    []*profile.ValueType{{Type: "contentions", Unit: "count"}, {Type: "delay", Unit: "nanoseconds"}},
		PeriodType:    &profile.ValueType{Type: "trace", Unit: "count"},
		Period:        1,
		DurationNanos: int64(of.Duration),
		Comments:      []string{"threadcall trace -pprof " + t.Kind},
	}
	if of.Begin != nil {
		p.TimeNanos = of.Begin.UnixNano()
	}
	functions := map[[2]string]*profile.Function{}
	locations := map[report.Frame]*profile.Location{}
	for _, s := range t.Samples {
		sample := &profile.Sample{Value: []int64{int64(s.N), int64(s.Time)}}
		for _, f := range s.Stack {
			at := locations[f]
			if at == nil {
				name := [2]string{f.Func, f.File}
				fn := functions[name]
				if fn == nil {
					fn = &profile.Function{ID: uint64(len(functions) + 1), Name: f.Func, SystemName: f.Func, Filename: f.File}
					functions[name] = fn
					p.Function = append(p.Function, fn)
				}
				at = &profile.Location{ID: uint64(len(locations) + 1), Line: []profile.Line{{Function: fn, Line: int64(f.Line)}}}
				locations[f] = at
				p.Location = append(p.Location, at)
			}
			sample.Location = append(sample.Location, at)
		}
		p.Sample = append(p.Sample, sample)
	}
	if err := p.CheckValid(); err != nil {
		return err
	}
	return p.Write(w)
}
