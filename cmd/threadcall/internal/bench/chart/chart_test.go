package chart_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/page/pagetest"
)

// simulated returns rounds of five benchmarks. Their names say what becomes of their times in the later versions.
func simulated(rounds int, versions ...string) *stats.Data {
	r := rand.New(rand.NewPCG(1, 2))
	d := stats.New(versions...)
	for round := range rounds {
		drift := 1 + 0.05*math.Sin(float64(round)/3)
		for i, b := range []struct {
			name  string
			ratio float64
		}{{"Slower/by=10%-8", 1.1}, {"Same/size=64k-8", 1}, {"Faster/by=30%-8", 0.7}, {"Slower/by=2%-8", 1.02}, {"Escapes/<b>&\"quoted\"", 1}} {
			for v := range versions {
				x := 123e-9 * math.Pow(10, float64(i)) * math.Pow(b.ratio, float64(min(v, 1))) * drift * math.Exp(0.02*r.NormFloat64())
				if r.IntN(30) == 0 {
					x *= 3
				}
				d.Add(v, round, &benchfmt.Result{Name: benchfmt.Name(b.name), Values: []benchfmt.Value{
					{Value: x, Unit: "sec/op"}, {Value: float64(3 + v*(i%2)), Unit: "allocs/op"}}})
			}
		}
	}
	return d
}

func saved(t *testing.T, r chart.Report) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "bench.html")
	if err := r.Save(name); err != nil {
		t.Fatal(err)
	}
	return name
}

func report(d *stats.Data) chart.Report {
	return chart.Report{
		Title:      "threadcall bench -vs HEAD~1",
		Comparison: d.Compare(stats.Options{}),
		Machine: []chart.Fact{{Name: "governor", Value: "none", Meaning: "This is a virtual machine.", Warning: false},
			{Name: "stolen time", Value: "4 %", Meaning: "The host gave the time to others.", Warning: true}},
		Settings: []chart.Fact{{Name: "rounds", Value: fmt.Sprint(20)}, {Name: "seed", Value: "4711"}},
	}
}

func TestEveryValueIsADotThatSaysWhatItIs(t *testing.T) {
	d := simulated(20, "HEAD~1", "working tree")
	d.Fail(1, "", "Panics-8", "panic: index out of range")
	name := saved(t, report(d))
	var got struct {
		Dots, Cards, Failed int
		Tip                 string
		Right               float64
	}
	pagetest.Run(t, name, `
		const dot = document.querySelector("article:last-of-type .dot"); // Slower/by=10%
		dot.dispatchEvent(new PointerEvent("pointerover", {bubbles: true}));
		return {
			Dots: document.querySelectorAll(".dot").length,
			Cards: document.querySelectorAll("section:not([hidden]) article").length,
			Failed: document.querySelectorAll("#failures tbody tr").length,
			Tip: dot.textContent,
			Right: document.documentElement.scrollWidth - document.documentElement.clientWidth,
		};`, &got)
	if got.Dots != 5*2*20 || got.Cards != 5 || got.Failed != 1 {
		t.Errorf("%d dots, want %d; %d cards, want 5; %d failures, want 1", got.Dots, 5*2*20, got.Cards, got.Failed)
	}
	c := d.Compare(stats.Options{})
	first := c.Tables[0].Rows[4].Cells[0].Samples[0]
	if want := "HEAD~1, round 1: " + c.Tables[0].Value(first.Value); got.Tip != want {
		t.Errorf("the first dot says %q, want %q", got.Tip, want)
	}
	if got.Right != 0 {
		t.Errorf("the page is %v pixels wider than its window", got.Right)
	}
}

func TestTheSearchFindsBenchmarksInTablesAndCards(t *testing.T) {
	var got []int
	pagetest.Run(t, saved(t, report(simulated(8, "old", "new"))), `
		const shown = selector => [...document.querySelectorAll("section:not([hidden]) " + selector)].filter(e => !e.hidden).length;
		const input = document.querySelector("input[type=search]"), out = [];
		for (const words of ["", "slower/", "slower/ 10%", "<b>", "nothing such"]) {
			input.value = words;
			input.dispatchEvent(new Event("input"));
			out.push(shown("tr.row"), shown("article"));
		}
		return out;`, &got)
	if want := []int{5, 5, 2, 2, 1, 1, 1, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("rows and cards: %v, want %v", got, want)
	}
}

func TestUnitsAreShownOneAtATime(t *testing.T) {
	var got []string
	pagetest.Run(t, saved(t, report(simulated(8, "old", "new"))), `
		const shown = () => [...document.querySelectorAll("section[data-unit]")].filter(s => !s.hidden).map(s => s.dataset.unit).join();
		const out = [shown()];
		document.querySelectorAll("#units button")[1].click();
		out.push(shown(), document.querySelector("#units button[aria-pressed=true]").textContent);
		return out;`, &got)
	if want := []string{"sec/op", "allocs/op", "allocs/op"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestDotsCanStandInTheOrderOfRounds(t *testing.T) {
	var got struct{ Before, Ordered, Back bool }
	pagetest.Run(t, saved(t, report(simulated(8, "old", "new"))), `
		const lanes = [...document.querySelector("article").querySelectorAll(".lane")];
		const heights = lane => [...lane.querySelectorAll(".dot")].map(d => Number(d.getAttribute("cy")));
		const ascending = () => lanes.every(l => heights(l).every((y, i, all) => !i || y > all[i-1]));
		const same = () => heights(lanes[0]).join() === heights(lanes[1]).join();
		const button = document.getElementById("byround"), out = {};
		const before = heights(lanes[0]).join();
		out.Before = ascending() || same();
		button.click();
		out.Ordered = ascending() && same(); // both versions of a round at one height
		button.click();
		out.Back = heights(lanes[0]).join() === before;
		return out;`, &got)
	if got.Before || !got.Ordered || !got.Back {
		t.Errorf("%+v", got)
	}
}

func TestOneVersionIsAPageToo(t *testing.T) {
	var got struct{ Dots, Forests, Cards int }
	pagetest.Run(t, saved(t, report(simulated(6, "now"))), `return {
		Dots: document.querySelectorAll(".dot").length,
		Forests: document.querySelectorAll("table.forest").length,
		Cards: document.querySelectorAll("article").length,
	};`, &got)
	if got.Dots != 5*6 || got.Forests != 0 || got.Cards != 2*5 {
		t.Errorf("%+v", got)
	}
}

// The pictures are for people: go test -artifacts keeps them. Here it is only asked whether something is there.
func TestPictures(t *testing.T) {
	for name, d := range map[string]*stats.Data{
		"two":   simulated(20, "HEAD~1", "working tree"),
		"three": simulated(10, "v1.0", "v1.1", "v1.2"),
	} {
		file := filepath.Join(t.TempDir(), name+".html")
		if err := report(d).Save(file); err != nil {
			t.Fatal(err)
		}
		picture := pagetest.Picture(t, file, 1280, 1600)
		colours := map[any]bool{}
		for y := 0; y < 1600; y += 5 {
			for x := 0; x < 1280; x += 5 {
				colours[picture.At(x, y)] = true
			}
		}
		if len(colours) < 20 {
			t.Errorf("%s: %d colours", name, len(colours))
		}
	}
}
