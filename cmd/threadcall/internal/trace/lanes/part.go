package lanes

import (
	"fmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
)

// A Part is what a [Selection] selects.
type Part struct {
	*Index
	filter *filter
	titles map[int64]string
}

// Part returns what s selects. The error says what is not in the trace.
func (x *Index) Part(s Selection) (*Part, error) {
	f, err := x.filter(s)
	if err != nil {
		return nil, err
	}
	p := &Part{Index: x, filter: f, titles: map[int64]string{}}
	err = x.Scan(f.from, f.to, func(v *Interval) {
		if v.Kind == Life && f.has(v.Goroutine) {
			p.titles[v.Goroutine] = title(v.Goroutine, x.Name(v.Name))
		}
	})
	return p, err
}

// Each calls use with each interval of the part, whole, in the order of [Index.Ordered].
func (p *Part) Each(use func(*Interval) error) error {
	return p.Ordered(p.filter.from, p.filter.to, func(v *Interval) error {
		if !p.has(v) {
			return nil
		}
		return use(v)
	})
}

// has reports whether the interval is part of p. What is of the whole program is.
func (p *Part) has(v *Interval) bool {
	switch v.Kind {
	case Heap:
		return true
	case Range:
		return v.Goroutine == None || p.filter.has(v.Goroutine)
	}
	return p.filter.has(v.Goroutine)
}

// Has reports whether a goroutine is part of p.
func (p *Part) Has(goroutine int64) bool { return p.filter.has(goroutine) }

// Title returns the number of a goroutine and its outermost function.
func (p *Part) Title(goroutine int64) string {
	if t, ok := p.titles[goroutine]; ok {
		return t
	}
	return title(goroutine, "")
}

func title(goroutine int64, function string) string {
	if function == "" {
		return fmt.Sprint("G", goroutine)
	}
	return fmt.Sprint("G", goroutine, " ", symbol.Short(function))
}
