package measure

import (
	"slices"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

func TestALineComesEachTenthAndEachHalfMinute(t *testing.T) {
	for _, c := range []struct {
		of    int
		round time.Duration
		want  []int
	}{
		{6, time.Second, []int{1, 2, 3, 4, 5, 6}},
		{20, time.Second, []int{1, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20}},
		{40, 20 * time.Second, []int{1, 3, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30, 32, 34, 36, 38, 40}},
	} {
		var p pace
		var got []int
		for n := 1; n <= c.of; n++ {
			if p.due(n, c.of, time.Unix(0, 0).Add(time.Duration(n)*c.round)) {
				got = append(got, n)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%d rounds of %v: %v, want %v", c.of, c.round, got, c.want)
		}
	}
}

func TestThePlanSaysHowLongItTakes(t *testing.T) {
	binary := &gotest.Binary{}
	both := &rounds.Job{Versions: []*gotest.Binary{binary, binary}}
	added := &rounds.Job{Versions: []*gotest.Binary{nil, binary}}
	for _, c := range []struct {
		benchtime string
		count     int
		want      string
	}{
		{"500ms", 20, "about 1 min 20 s: 4 benchmarks × 2 versions × 20 rounds"},
		{"1s", 6, "about 47 s: 4 benchmarks × 2 versions × 6 rounds"},
		{"1m", 100, "about 12 h 50 min: 4 benchmarks × 2 versions × 100 rounds"},
		{"100x", 1, "4 benchmarks × 2 versions × 1 round"},
	} {
		set := &plan.Settings{Count: c.count, Each: rounds.Settings{Benchtime: c.benchtime}}
		if got := estimate(set, []*rounds.Job{both, both, both, added}); got != c.want {
			t.Errorf("%s: %q, want %q", c.benchtime, got, c.want)
		}
	}
}

func TestThePlanCountsOtherProcesses(t *testing.T) {
	set := &plan.Settings{Count: 20, Each: rounds.Settings{Benchtime: "500ms"}}
	if got := estimate(set, []*rounds.Job{{Versions: []*gotest.Binary{{}}, Stretch: 4}}); got != "about 46 s: 1 benchmark × 20 rounds" {
		t.Error(got)
	}
}

func TestTheMachineHasOneWord(t *testing.T) {
	for noisy, want := range map[int]string{0: Quiet, 5: Quiet, 6: Shared, 50: Shared, 51: Loaded} {
		r := &Run{Rounds: []Round{{Processes: 60}, {Processes: 40}}, Noisy: make([]Noisy, noisy)}
		if got := r.load(); got != want {
			t.Errorf("%d of 100 processes noisy: %s, want %s", noisy, got, want)
		}
	}
}
