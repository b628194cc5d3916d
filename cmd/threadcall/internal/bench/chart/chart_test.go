package chart

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"golang.org/x/perf/benchfmt"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/machine"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui/pagetest"
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
				d.Add(v, round+1, &benchfmt.Result{Name: benchfmt.Name(b.name), Values: []benchfmt.Value{
					{Value: x, Unit: "sec/op"}, {Value: float64(3 + v*(i%2)), Unit: "allocs/op"}}})
			}
		}
	}
	return d
}

func report(d *stats.Data) Report {
	return Report{
		Title:      "threadcall bench -vs HEAD~1",
		Comparison: d.Compare(),
		Machine:    []machine.Finding{{Name: "stolen time", Value: "4 %", Meaning: "The hypervisor runs other machines.", Level: machine.Warning}},
		Settings:   []Fact{{Name: "rounds", Value: fmt.Sprint(20)}, {Name: "seed", Value: "4711"}},
	}
}

func TestEveryValueIsADotThatSaysWhatItIs(t *testing.T) {
	d := simulated(20, "HEAD~1", "working tree")
	d.Fail(1, "", "Panics-8", "panic: index out of range")
	var got struct {
		Dots, Cards, Failed int
		Tip                 string
		Right               float64
	}
	pagetest.Run(t, report(d).page(), `
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
	c := d.Compare()
	first := c.Tables[0].Rows[4].Cells[0].Samples[0]
	if want := "HEAD~1, round 1: " + c.Tables[0].Value(first.Value) + "s"; got.Tip != want {
		t.Errorf("the first dot says %q, want %q", got.Tip, want)
	}
	if got.Right != 0 {
		t.Errorf("the page is %v pixels wider than its window", got.Right)
	}
}

func TestUnitsAreShownOneAtATime(t *testing.T) {
	var got []string
	pagetest.Run(t, report(simulated(8, "old", "new")).page(), `
		const shown = () => [...document.querySelectorAll("section[data-unit]")].filter(s => !s.hidden).map(s => s.dataset.unit).join();
		const out = [shown()];
		document.querySelectorAll("#units button")[1].click();
		out.push(shown(), document.querySelector("#units button[aria-pressed=true]").textContent);
		return out;`, &got)
	if want := []string{"sec/op", "allocs/op", "allocs/op"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// layout returns what is cut off or overlaps in the part of the page that is shown.
const layout = `
	const bad = [], width = document.documentElement.clientWidth;
	if (document.documentElement.scrollWidth > width) bad.push("the page is " + document.documentElement.scrollWidth + " wide");
	for (const svg of document.querySelectorAll("svg")) {
		const frame = svg.getBoundingClientRect();
		if (!frame.width) continue;
		if (frame.right > width + 1 || frame.left < -1) bad.push("a chart from " + frame.left + " to " + frame.right);
		const labels = [...svg.querySelectorAll("text")].map(t => [t.textContent, t.getBoundingClientRect()]);
		for (const [text, r] of labels) {
			if (r.left < frame.left - 1 || r.right > frame.right + 1) bad.push("the label " + text + " is cut");
			for (const [other, s] of labels) {
				if (r !== s && r.left < s.right && s.left < r.right && r.top < s.bottom && s.top < r.bottom) bad.push(text + " is over " + other);
			}
		}
	}
	return {Width: width, Charts: document.querySelectorAll("svg").length, Title: document.querySelector("h1").textContent, Bad: [...new Set(bad)]};`

func TestNothingIsCutOrOverlaps(t *testing.T) {
	simple := report(simulated(20, "HEAD~1", "working tree"))
	wild := simulated(8, "v1", "v2")
	for round := range 8 {
		for v, ns := range []float64{1e-7, 9e-7} {
			wild.Add(v, round+1, &benchfmt.Result{Name: benchfmt.Name("VeryLongNameOfABenchmarkThatHasManyParts/and=some/more=parts/of=itsname-8"),
				Values: []benchfmt.Value{{Value: ns + 1e-9*float64(round), Unit: "sec/op"}}})
		}
	}
	for name, page := range map[string]ui.Page{"two": simple.page(), "wild": report(wild).page()} {
		for _, width := range []int{1200, 420} { // some browsers have no window below 500
			var got struct {
				Width, Charts int
				Title         string
				Bad           []string
			}
			pagetest.RunIn(t, width, page, layout, &got)
			if got.Width > max(width, 500) || len(got.Bad) > 0 || got.Charts == 0 || got.Title != page.Title {
				t.Errorf("%s at %d pixels, of which the window has %d: %d charts; %q", name, width, got.Width, got.Charts, got.Bad)
			}
		}
	}
}
