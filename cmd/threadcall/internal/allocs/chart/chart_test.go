package chart

import (
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/budget"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui/pagetest"
)

func row(file string, line int, bytes float64, kind, why string) allocs.Row {
	f := heap.Frame{Function: "example.com/shop/cart.(*Cart).add", File: "/src/cart/" + file, Line: line}
	return allocs.Row{Where: f, Site: f, Runtime: "runtime.newobject", Kind: kind, Why: why, Amount: heap.Amount{Objects: 1, Bytes: bytes},
		Source: []allocs.Line{{Number: line - 1, Text: "func (c *Cart) add() {"}, {Number: line, Text: "\tch <- func() { <script>alert(1)</script> }"}},
		Escapes: []escape.Escape{{What: "func literal", Flow: []escape.Step{{Into: "{heap}", Where: "ch <- (func literal)", Why: "send",
			At: escape.Position{File: "/src/cart/" + file, Line: line}}}}},
		Stacks: []allocs.Stack{{Amount: heap.Amount{Objects: 1}, Frames: heap.Stack{{Function: "runtime.newobject"}, f}}}}
}

func report() *allocs.Report {
	once := row("b.go", 9, 0, "map", "make of a map")
	once.Amount, once.Once = heap.Amount{}, heap.Amount{Objects: 1, Bytes: 48}
	return &allocs.Report{Go: "go1.26", Packages: []string{"example.com/shop/cart"}, Runs: []allocs.Run{{
		Package: "example.com/shop/cart", Name: "BenchmarkAdd", PerOp: true, Operations: []int{1000, 2000},
		Total: heap.Amount{Objects: 3, Bytes: 200},
		Rows: []allocs.Row{row("a.go", 12, 150, "append", "append to a slice"), row("a.go", 30, 50, "new", "func literal escapes to heap"),
			once},
		Outside: []heap.Outside{{Name: "stacks of goroutines", Bytes: 65536}},
	}}, Budget: &budget.Check{Functions: []*budget.Function{
		{Name: "(*Cart).add", File: "/src/cart/a.go", Line: 10, Broken: []budget.Problem{{File: "/src/cart/a.go", Line: 12, Reason: "it appends"}}},
		{Name: "(*Cart).get", File: "/src/cart/a.go", Line: 40, Reached: true},
		{Name: "(*Cart).old", File: "/src/cart/a.go", Line: 50},
	}}}
}

func TestThePageHasEveryRowAndItsReason(t *testing.T) {
	var got struct {
		Rows, Shown, WithOnce, Filtered int
		Sorted, Verdicts, Here, Flow    string
		Open                            []bool
	}
	pagetest.Run(t, page(report(), "/src"), `
		const rows = [...document.querySelectorAll("table.rows tbody tr")];
		const shown = () => rows.filter(r => r.getClientRects().length > 0);
		const out = {Rows: rows.length, Shown: shown().length, Open: []};
		out.Here = document.querySelector(".source .here").textContent;
		out.Flow = document.querySelector("details ol li").textContent;
		const heading = document.querySelector("table.rows th");
		heading.click(); heading.click();
		out.Sorted = [...document.querySelectorAll("table.rows tbody tr")].map(r => r.cells[0].textContent.trim()).join();
		out.Verdicts = [...document.querySelectorAll("#budget tbody tr")].map(r => r.cells[0].textContent).join();
		const box = document.getElementById("once");
		box.click(); out.WithOnce = shown().length; box.click();
		const input = document.querySelector("input[type=search]");
		input.value = "append"; input.dispatchEvent(new Event("input")); out.Filtered = shown().length;
		input.value = ""; input.dispatchEvent(new Event("input"));
		const unfold = document.getElementById("unfold"), all = () => [...document.querySelectorAll("table.rows details")].every(d => d.open);
		unfold.click(); out.Open.push(all()); unfold.click(); out.Open.push(all());
		return out;`, &got)
	if got.Rows != 3 || got.Shown != 2 || got.WithOnce != 3 || got.Filtered != 1 {
		t.Errorf("rows %+v", got)
	}
	if got.Sorted != "0,50,150" || got.Verdicts != "broken,kept,never run" || len(got.Open) != 2 || !got.Open[0] || got.Open[1] {
		t.Errorf("got %+v", got)
	}
	if want := "   12        150  \tch <- func() { <script>alert(1)</script> }\n"; got.Here != want {
		t.Errorf("%q", got.Here)
	}
	if want := "into {heap}: ch <- (func literal) (send) at a.go:12"; got.Flow != want {
		t.Errorf("%q", got.Flow)
	}
}
