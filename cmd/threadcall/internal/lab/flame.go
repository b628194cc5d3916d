package main

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/google/pprof/profile"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A frame is a function of a flame graph, with those that it calls.
type frame struct {
	name  string
	value float64
	calls []*frame
}

func (f *frame) call(name string) *frame {
	for _, c := range f.calls {
		if c.name == name {
			return c
		}
	}
	c := &frame{name: name}
	f.calls = append(f.calls, c)
	return c
}

// merge makes the stacks of a profile into one tree, as pprof's flame graph has it.
func merge(p *profile.Profile, value int) *frame {
	root := &frame{name: "root"}
	for _, s := range p.Sample {
		v := float64(s.Value[value])
		at := root
		at.value += v
		for _, name := range names(s) {
			at = at.call(name)
			at.value += v
		}
	}
	root.sort()
	return root
}

func (f *frame) sort() {
	slices.SortFunc(f.calls, func(a, b *frame) int { return cmp.Or(cmp.Compare(b.value, a.value), cmp.Compare(a.name, b.name)) })
	for _, c := range f.calls {
		c.sort()
	}
}

const (
	flameWidth = 1000.0
	flameRow   = 17
	leastWidth = 1.0 // of a frame that is drawn
	letter     = 6.2 // width of one, about
)

// flame draws a CPU profile: the callers above what they call, as wide as their share of the samples is. What is
// narrower than a pixel is left out. Each frame has its full name and its share as a title, which browsers show.
func flame(title string, p *profile.Profile) []byte {
	root := merge(p, 0)
	var b bytes.Buffer
	depth := 0
	var draw func(f *frame, x float64, row int)
	draw = func(f *frame, x float64, row int) {
		w := flameWidth * f.value / max(root.value, 1)
		if w < leastWidth {
			return
		}
		depth = max(depth, row)
		y := 26 + row*flameRow
		fmt.Fprintf(&b, `<g><title>%s: %s of %s samples, %s</title><rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>`, html.EscapeString(f.name),
			whole(f.value), whole(root.value), ui.Share(f.value, root.value), x, y, w-0.4, flameRow-1, colour(f.name))
		if text := fit(label(f.name), w); text != "" {
			fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`, x+3, y+12, html.EscapeString(text))
		}
		b.WriteString("</g>\n")
		for _, c := range f.calls {
			draw(c, x, row+1)
			x += flameWidth * c.value / max(root.value, 1)
		}
	}
	draw(root, 0, 0)
	height := 26 + (depth+1)*flameRow + 4
	head := fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %d" font-family="sans-serif" font-size="11">`+"\n"+
		`<rect width="%.0f" height="%d" fill="#fff"/>`+"\n"+`<text x="3" y="17" font-size="13">%s: %s samples</text>`+"\n",
		flameWidth, height, flameWidth, height, html.EscapeString(title), whole(root.value))
	return []byte(head + b.String() + "</svg>\n")
}

// colour is that of the runtime or of the rest.
func colour(name string) string {
	switch {
	case name == "root":
		return "#ddd"
	case ofRuntime(name):
		return "#f4b183"
	}
	return "#9dc3e6"
}

func ofRuntime(name string) bool {
	return strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "internal/runtime/")
}

// label is the name without the directories of its package, and without the package if it is the runtime.
func label(name string) string {
	return strings.TrimPrefix(name[strings.LastIndex(name, "/")+1:], "runtime.")
}

// fit is as much of the text as has room, or "".
func fit(text string, width float64) string {
	n := int((width - 6) / letter)
	switch {
	case len(text) <= n:
		return text
	case n < 3:
		return ""
	}
	return text[:n-1] + "…"
}
