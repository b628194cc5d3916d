package analysis

import (
	"cmp"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A population counts goroutines. Those from before the trace become known one by one, those that
// wait not before the end of the first generation; so First is added to the peak in the end.
type population struct {
	report.Goroutines
	more, peak int64 // than First
}

func (p *population) change(n int64) {
	p.more += n
	p.peak = max(p.peak, p.more)
}

func (p *population) finish() {
	p.Peak, p.Last = p.First+uint64(p.peak), p.First+p.Created-p.Ended
}

// function returns the sums of the goroutines of a function.
func (a *analysis) function(name string) *report.Function {
	return entry(a.functions, name, report.Function{Name: cmp.Or(name, "?")})
}

func (a *analysis) functionList() []report.Function {
	for key, at := range a.stopped {
		if f := a.function(key.function); at.Time > f.RanAt.Time {
			f.RanAt = *at
		}
	}
	return first(maxFunctions, a.functions,
		func(x *report.Function) float64 { return float64(x.Running) })
}
