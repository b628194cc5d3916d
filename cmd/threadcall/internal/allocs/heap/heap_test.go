package heap

import (
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/hook"
)

// profiled makes a profile of stacks, each "function function …: objects of size".
func profiled(counted uint64, samples map[string][2]int64) *hook.Profile {
	p := &hook.Profile{Objects: counted}
	known := map[string]int{}
	for stack, n := range samples {
		r := hook.Record{Objects: n[0], Bytes: n[0] * n[1]}
		for _, f := range strings.Fields(stack) {
			if _, found := known[f]; !found {
				known[f] = len(p.Frames)
				p.Frames = append(p.Frames, hook.Frame{Function: f, File: "f.go", Line: 1})
			}
			r.Stack = append(r.Stack, known[f])
		}
		p.Records = append(p.Records, r)
	}
	return p
}

func std(path string) bool { return !strings.Contains(path, ".") && path != "main" }

const (
	own = "runtime.newobject a.com/b.F a.com/b.BenchmarkF testing.(*B).runN " +
		"testing.(*B).launch runtime.goexit"
	once = "runtime.makechan a.com/b.BenchmarkF testing.(*B).runN testing.(*B).launch " +
		"runtime.goexit"
	testings = "runtime.newobject context.WithCancel testing.(*B).runN testing.(*B).launch " +
		"runtime.goexit"
	printing = "runtime.growslice fmt.Sprint testing.(*B).run testing.(*M).Run main.main runtime.main"
	writes   = "runtime.newobject os.Getenv a.com/b/threadcallhook.Run a.com/b_test.TestMain " +
		"main.main runtime.main"
	parallel = "runtime.newobject a.com/b.BenchmarkF.func1 testing.(*B).RunParallel.func1 " +
		"runtime.goexit"
	inits  = "runtime.newobject regexp.init runtime.doInit1 runtime.main"
	looped = "runtime.newobject testing.(*B).Loop a.com/b.BenchmarkF testing.(*B).runN " +
		"runtime.goexit"
)

func TestDifference(t *testing.T) {
	short := profiled(1200, map[string][2]int64{own: {300, 24}, once: {1, 96}, testings: {7, 80},
		printing: {3, 8}, parallel: {100, 48}})
	long := profiled(2200, map[string][2]int64{own: {600, 24}, once: {1, 96}, testings: {9, 80},
		printing: {4, 8}, parallel: {200, 48}, writes: {1, 8}, inits: {4, 8}, looped: {5, 8}})
	s := Difference(short, long, 100, std)
	got := map[string]Sample{}
	for _, sample := range s.Samples {
		var names []string
		for _, f := range sample.Stack {
			names = append(names, f.Function)
		}
		got[strings.Join(names, " ")] = sample
	}
	if len(got) != 3 {
		t.Errorf("%d samples: %+v", len(got), got)
	}
	if x := got[own]; x.Each != (Amount{3, 72}) || x.Once != (Amount{0, 0}) || x.Size != 24 {
		t.Errorf("own %+v", x)
	}
	if x := got[once]; x.Each != (Amount{}) || x.Once != (Amount{1, 96}) {
		t.Errorf("once %+v", x)
	}
	if x := got[parallel]; x.Each != (Amount{1, 48}) {
		t.Errorf("parallel %+v", x)
	}
	if s.Counted.Objects != 10 || s.Hidden != 10-float64(600+1+9+4+200+1+4+5-300-1-7-3-100)/100 {
		t.Errorf("counted %v, hidden %v", s.Counted, s.Hidden)
	}
	// A stack of the shorter run alone.
	s = Difference(profiled(0, map[string][2]int64{own: {100, 8}}), profiled(0, nil), 100, std)
	if len(s.Samples) != 1 || s.Samples[0].Each.Objects != -1 || s.Samples[0].Stack == nil {
		t.Errorf("%+v", s.Samples)
	}
}

func TestSamples_ByChance(t *testing.T) {
	for _, c := range []struct {
		more         int
		objects      float64
		chance, once bool
	}{
		{1000, 0.002, true, true}, {1000, 0.003, true, false}, {1000, 0.02, false, false},
		{1000, -0.02, false, true},
		{100, 0.02, true, false}, {2, 1, true, false}, {10, 1, false, false}, {1e6, 0.009, true, false},
	} {
		s := Samples{More: c.more}
		if s.ByChance(c.objects) != c.chance || s.OnceOnly(c.objects) != c.once {
			t.Errorf("%v objects an operation of %d: chance %v, once %v", c.objects, c.more,
				s.ByChance(c.objects), s.OnceOnly(c.objects))
		}
	}
}

func TestStack_Site(t *testing.T) {
	s := Stack{{Function: "runtime.a"}, {Function: "internal/runtime/maps.x"},
		{Function: "a.com/runtime.b", Inlined: true}, {Function: "reflect.c"}, {Function: "x.d"}}
	if s.Site() != 2 || len(s.Chain(2)) != 2 || len(s.Chain(4)) != 1 {
		t.Errorf("site %d, chains %v, %v", s.Site(), s.Chain(2), s.Chain(4))
	}
	if all := (Stack{{Function: "runtime.a"}, {Function: "runtime.goexit"}}); all.Site() != 1 {
		t.Errorf("site %d", all.Site())
	}
}
