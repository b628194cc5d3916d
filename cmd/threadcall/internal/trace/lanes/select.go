package lanes

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/symbol"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/trace/report"
)

// A Selection is a part of a trace. The zero value is all of it.
type Selection struct {
	From, To   time.Duration // a To of zero is the end of the trace
	Goroutines []int64       // if not empty, only these
	Place      string        // if not empty, only goroutines that stopped, were created or woke others there; see [At]
}

// Whole reports whether s is the whole trace.
func (s Selection) Whole() bool {
	return s.From == 0 && s.To == 0 && len(s.Goroutines) == 0 && s.Place == ""
}

// At reports whether a frame is at a place: a part of a function's name, a file, or FILE:LINE. Of a file's path the last
// elements are enough.
func At(f report.Frame, place string) bool {
	return place != "" && (strings.Contains(f.Func, place) || strings.Contains(symbol.Short(f.Func), place) ||
		endsIn(f.File, place) || endsIn(f.File+":"+strconv.FormatUint(f.Line, 10), place))
}

func endsIn(path, end string) bool {
	rest, ok := strings.CutSuffix(path, end)
	return ok && (rest == "" || strings.HasSuffix(rest, "/") || strings.HasPrefix(end, "/"))
}

// A filter is a Selection made ready.
type filter struct {
	from, to   time.Duration
	goroutines map[int64]bool // nil for all
	stacks     []bool         // at the place; nil for all
}

func (f *filter) has(goroutine int64) bool { return f.goroutines == nil || f.goroutines[goroutine] }

// at reports whether one of the interval's stacks is at the place.
func (f *filter) at(v *Interval) bool {
	return f.stacks == nil || f.stacks[v.Stack] || f.stacks[v.ByStack]
}

// filter returns an error if nothing in the trace is selected.
func (x *Index) filter(s Selection) (*filter, error) {
	f := &filter{from: s.From, to: s.To}
	if f.to <= 0 || f.to > x.duration {
		f.to = x.duration
	}
	if f.from < 0 || f.from >= f.to {
		return nil, fmt.Errorf("the trace has nothing from %v to %v; it is %v long", s.From, f.to, x.duration)
	}
	if len(s.Goroutines) > 0 {
		f.goroutines = map[int64]bool{}
		for _, g := range s.Goroutines {
			f.goroutines[g] = false
		}
		err := x.Scan(f.from, f.to, func(v *Interval) {
			if _, ok := f.goroutines[v.Goroutine]; ok && v.Kind == Life {
				f.goroutines[v.Goroutine] = true
			}
		})
		if err != nil {
			return nil, err
		}
		for g, exists := range f.goroutines {
			if !exists {
				return nil, fmt.Errorf("the trace has no goroutine %d from %v to %v", g, f.from, f.to)
			}
		}
	}
	if s.Place == "" {
		return f, nil
	}
	f.stacks = make([]bool, x.stacks.Len())
	found := false
	for i := range f.stacks {
		for _, frame := range x.Stack(int32(i)) {
			if At(frame, s.Place) {
				f.stacks[i], found = true, true
				break
			}
		}
	}
	if !found {
		return nil, fmt.Errorf("no stack in the trace has the place %q; it is a part of a function's name, a file, or FILE:LINE", s.Place)
	}
	of := map[int64]bool{}
	err := x.Scan(f.from, f.to, func(v *Interval) {
		if f.stacks[v.Stack] && v.Goroutine > 0 && f.has(v.Goroutine) {
			of[v.Goroutine] = true
		}
		if f.stacks[v.ByStack] && v.By > 0 && f.has(v.By) {
			of[v.By] = true
		}
	})
	if err != nil {
		return nil, err
	}
	if len(of) == 0 {
		return nil, fmt.Errorf("no goroutine that is selected was at %q from %v to %v", s.Place, f.from, f.to)
	}
	f.goroutines = of
	return f, nil
}

// ParseGoroutines returns the numbers in a list with commas or spaces.
func ParseGoroutines(text string) (list []int64, err error) {
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.ParseInt(strings.TrimPrefix(word, "G"), 10, 64)
		if err != nil || n <= 0 {
			return nil, fmt.Errorf("%q is no goroutine; goroutines are numbers, as 18 or 18,42", word)
		}
		list = append(list, n)
	}
	return list, nil
}
