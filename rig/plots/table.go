package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/rig/results"
)

// firstRows are the loads of README.md and how it calls them: gains, and losses next to them.
//
//go:embed first.txt
var firstRows string

// first returns the table of README.md. Of the main thread and an own one it has that whose mean is
// worse, and each ratio is one number of its row divided by another.
func (m *measured) first() string {
	units := []string{"mean-ns", "p99-ns", "cpu-ns/op"}
	var b strings.Builder
	b.WriteString("load | channel: mean, p99, CPU | threadcall | ratio: mean | p99 | CPU\n" +
		"--- | --- | --- | --- | --- | ---\n")
	for line := range strings.Lines(firstRows) {
		load, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		subject, worst := "", 0.0
		for _, s := range []string{"threadcall", "thread"} {
			if x := m.median(load, s, units[0]); x > worst {
				subject, worst = s, x
			}
		}
		if subject == "" {
			continue
		}
		b.WriteString(text)
		var numbers [2][]string
		for i, s := range []string{"reference", subject} {
			for _, unit := range units {
				if x := m.median(load, s, unit); x > 0 {
					numbers[i] = append(numbers[i], digits(x/1000))
				} else {
					numbers[i] = append(numbers[i], "-")
				}
			}
			b.WriteString(" | " + strings.Join(numbers[i], ", "))
		}
		for i := range units { // of the printed numbers, so that a reader gets the same
			x, _ := strconv.ParseFloat(numbers[0][i], 64)
			y, _ := strconv.ParseFloat(numbers[1][i], 64)
			ratio := "-"
			if x > 0 && y > 0 {
				ratio = digits(y / x)
			}
			b.WriteString(" | " + ratio)
		}
		b.WriteString("\n")
	}
	machine := regexp.MustCompile(` \(kernel command line: [^)]*\)`).ReplaceAllString(m.Machine, "")
	fmt.Fprintf(&b, "\n%s. *Crowded*: two processes compute.\n", machine)
	return b.String()
}

// cell is a ratio to the channel, bold if it is on the same side of one in all rounds.
func (m *measured) cell(load, subject, unit string) string {
	ratios := m.ratios(load, subject, unit)
	switch text := digits(results.Median(ratios)); {
	case ratios == nil:
		return ""
	case results.Sure(ratios):
		return "**" + text + "**"
	default:
		return text
	}
}

func digits(x float64) string {
	switch {
	case x < 0.1:
		return fmt.Sprintf("%.3f", x)
	case x < 10:
		return fmt.Sprintf("%.2f", x)
	default:
		return fmt.Sprintf("%.0f", x)
	}
}

// all returns each load with all that was measured of it, medians in µs.
func (m *measured) all() string {
	var b strings.Builder
	if m.Machine != "" {
		b.WriteString(m.Machine + ".\n\n")
	}
	b.WriteString("| load | | p50 | mean | p99 | CPU | late | ratios: p50, CPU, p99 |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for _, load := range m.Loads {
		title := label(load)
		for _, s := range subjects {
			if m.median(load, s.name, "p50-ns") == 0 {
				continue
			}
			fmt.Fprintf(&b, "| %s | %s |", title, s.text)
			title = ""
			for _, unit := range []string{"p50-ns", "mean-ns", "p99-ns", "cpu-ns/op", "p90-late-ns"} {
				if v := m.median(load, s.name, unit); v > 0 {
					fmt.Fprintf(&b, " %s |", digits(v/1000))
				} else {
					b.WriteString(" |")
				}
			}
			var ratios []string
			for _, unit := range []string{"p50-ns", "cpu-ns/op", "p99-ns"} {
				if c := m.cell(load, s.name, unit); c != "" && s.name != "reference" {
					ratios = append(ratios, c)
				}
			}
			fmt.Fprintf(&b, " %s |\n", strings.Join(ratios, ", "))
		}
	}
	return b.String()
}

var coresOf = regexp.MustCompile(`^Cores(\d+)/(.*)$`)

// byCores returns a table of the loads with many callers and pairs. A cell has ratios to the
// channel's: calls a second; CPU time of a call; mean; p99. Each is the worse of the two threads, a
// ratio of two medians of the rounds.
func (m *measured) byCores() string {
	var cores []int
	var loads []string
	for _, load := range m.Loads {
		if parts := coresOf.FindStringSubmatch(load); parts != nil {
			n, _ := strconv.Atoi(parts[1])
			if !slices.Contains(cores, n) {
				cores = append(cores, n)
			}
			if !slices.Contains(loads, parts[2]) {
				loads = append(loads, parts[2])
			}
		}
	}
	slices.Sort(cores)
	slices.Reverse(cores)
	slices.SortFunc(loads, func(a, b string) int { // "2_callers,_3_µs" behind "64_callers,_0_µs"
		n, x, _ := strings.Cut(a, "_")
		m, y, _ := strings.Cut(b, "_")
		i, _ := strconv.Atoi(n)
		j, _ := strconv.Atoi(m)
		return cmp.Or(strings.Compare(strings.TrimSuffix(x, "s"), strings.TrimSuffix(y, "s")),
			cmp.Compare(i, j))
	})
	var b strings.Builder
	fmt.Fprintf(&b, "%s.\n\n| load |", m.Machine)
	for _, n := range cores {
		fmt.Fprintf(&b, " %d cores: channel | threadcall |", n)
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- | --- |", len(cores)) + "\n")
	for _, name := range loads {
		fmt.Fprintf(&b, "| %s |", label(name))
		for _, n := range cores {
			load := fmt.Sprintf("Cores%d/%s", n, name)
			if m.median(load, "reference", "calls/s") == 0 {
				b.WriteString(" | |")
				continue
			}
			fmt.Fprintf(&b, " %.0f calls/s; %s µs |", m.median(load, "reference", "calls/s"),
				digits(m.median(load, "reference", "cpu-ns/op")/1000))
			var worse []string
			for _, unit := range []string{"calls/s", "cpu-ns/op", "mean-ns", "p99-ns"} {
				worse = append(worse, digits(m.worse(load, unit, unit == "calls/s")))
			}
			fmt.Fprintf(&b, " %s |", strings.Join(worse, "; "))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// worse returns the ratio to the channel of the main thread or of an own one, whichever is worse.
func (m *measured) worse(load, unit string, least bool) (ratio float64) {
	for _, s := range []string{"threadcall", "thread"} {
		x := m.median(load, s, unit) / m.median(load, "reference", unit)
		if x > 0 && (ratio == 0 || least == (x < ratio)) {
			ratio = x
		}
	}
	return ratio
}

func label(load string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(load, "Phase/"), "_", " ")
	if crowded, ok := strings.CutPrefix(name, "Crowded/"); ok {
		return crowded + ", crowded"
	}
	return name
}
