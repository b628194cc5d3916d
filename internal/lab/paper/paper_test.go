package paper

import (
	"math"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/lab/measure"
)

func TestTimesHaveThreeDigitsAndAUnit(t *testing.T) {
	for ns, want := range map[float64]string{
		0: "0 ns", 0.25: "0.250 ns", 1.52: "1.52 ns", 52.64: "52.6 ns", 448: "448 ns", 999.4: "999 ns", 999.9: "1.00 µs",
		17_000: "17.0 µs", 2_224_000_000: "2.22 s", 19.2e9: "19.2 s", 4321e9: "4,321 s",
	} {
		if got := Time(ns); got != want {
			t.Errorf("%v ns is written %q, want %q", ns, got, want)
		}
	}
}

func TestThousandsHaveCommas(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 12: "12", 999: "999", 1000: "1,000", 46324069: "46,324,069", -1234: "-1,234"} {
		if got := Whole(x); got != want {
			t.Errorf("%v is written %q, want %q", x, got, want)
		}
	}
}

func TestATableHasItsCellsAndAlignsNumbers(t *testing.T) {
	got := Table([]string{"a", "b", "c"}, [][]string{{"x|y", "1 ns", "1"}, {"z", "", "two"}})
	want := "| a | b | c |\n| --- | ---: | --- |\n| x\\|y | 1 ns | 1 |\n| z |  | two |\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestLinesAreNotTooLong(t *testing.T) {
	text := strings.Repeat("word ", 100)
	wrapped := Wrap(text)
	for line := range strings.Lines(wrapped) {
		if len(line) > 121 {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
	if strings.Join(strings.Fields(wrapped), " ")+" " != text {
		t.Error("words are lost")
	}
}

func TestVerdictsFollowFromTheInterval(t *testing.T) {
	e := measure.Estimate{Centre: 0.8, Low: 0.7, High: 0.9}
	inf := measure.Estimate{Centre: 0.8, Low: math.Inf(-1), High: math.Inf(1)}
	for _, test := range []struct {
		got, want Verdict
	}{
		{Less(e, 1), Reproduced}, {Less(e, 0.5), NotReproduced}, {Less(e, 0.85), Undecided}, {Less(inf, 1), Undecided},
		{More(e, 1), NotReproduced}, {More(e, 0.5), Reproduced}, {More(e, 0.75), Undecided}, {More(inf, 0), Undecided},
		{Near(300, 366), Reproduced}, {Near(183, 366), NotReproduced}, {Near(17000, 366), NotReproduced},
	} {
		if test.got != test.want {
			t.Errorf("%q, want %q", test.got, test.want)
		}
	}
}

func TestIntervalsAreWrittenIfThereAreAny(t *testing.T) {
	e := measure.Estimate{Centre: 400, Low: 392, High: 404}
	none := measure.Estimate{Centre: 400, Low: math.Inf(-1), High: 404}
	for got, want := range map[string]string{
		Spread(e): "400 ns ± 2.00 %", Spread(none): "400 ns",
		Ratio(e): "400 (392 to 404)", Ratio(none): "400",
		Change(0.8): "20 % less", Change(1.05): "5.00 % more",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClaimsSayWhatFollows(t *testing.T) {
	got := Claims([]Claim{{"it is so", "1", Reproduced, ""}, {"and so", "2", Changed, "it was long ago"}})
	for _, want := range []string{"| it is so | 1 | **reproduced** |", "| and so | 2 | **no longer so**: it was long ago |"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
}
