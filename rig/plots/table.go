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

// row returns one of a table in Markdown.
func row(cells ...string) string { return "| " + strings.Join(cells, " | ") + " |\n" }

// times returns medians in µs.
func (m *measured) times(load, subject string, units ...string) (cells []string) {
	for _, unit := range units {
		cell := "-"
		if x := m.median(load, subject, unit); x > 0 {
			cell = digits(x / 1000)
		}
		cells = append(cells, cell)
	}
	return cells
}

// first returns the table of README.md. Of the main thread and an own one it has that whose mean is
// worse, and each ratio is one number of its row divided by another.
func (m *measured) first() string {
	table := "load | channel: mean, p99, CPU | threadcall | ratio: mean | p99 | CPU\n" +
		"--- | --- | --- | --- | --- | ---\n"
	for line := range strings.Lines(firstRows) {
		load, text, _ := strings.Cut(strings.TrimSpace(line), ": ")
		subject := "threadcall"
		if m.median(load, "thread", "mean-ns") > m.median(load, subject, "mean-ns") {
			subject = "thread"
		}
		if m.median(load, subject, "mean-ns") == 0 {
			continue
		}
		channel := m.times(load, "reference", "mean-ns", "p99-ns", "cpu-ns/op")
		ours := m.times(load, subject, "mean-ns", "p99-ns", "cpu-ns/op")
		cells := []string{text, strings.Join(channel, ", "), strings.Join(ours, ", ")}
		for i := range ours { // of the printed numbers, so that a reader gets the same
			x, _ := strconv.ParseFloat(channel[i], 64)
			y, _ := strconv.ParseFloat(ours[i], 64)
			ratio := "-"
			if x > 0 && y > 0 {
				ratio = digits(y / x)
			}
			cells = append(cells, ratio)
		}
		table += strings.Join(cells, " | ") + "\n"
	}
	machine := regexp.MustCompile(` \(kernel command line: [^)]*\)`).ReplaceAllString(m.Machine, "")
	return fmt.Sprintf("%s\n%s. *Crowded*: two processes compute.\n", table, machine)
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

// all returns each load with all that was measured of it. A ratio to the channel is bold if it is
// on the same side of one in all rounds.
func (m *measured) all() string {
	table := ""
	if m.Machine != "" {
		table = m.Machine + ".\n\n"
	}
	table += "| load | | p50 | mean | p99 | CPU | late | ratios: p50, CPU, p99 |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- |\n"
	for _, load := range m.Loads {
		title := label(load)
		for _, s := range subjects {
			if m.median(load, s.name, "p50-ns") == 0 {
				continue
			}
			cells := append([]string{title, s.text},
				m.times(load, s.name, "p50-ns", "mean-ns", "p99-ns", "cpu-ns/op", "p90-late-ns")...)
			title = ""
			var ratios []string
			for _, unit := range []string{"p50-ns", "cpu-ns/op", "p99-ns"} {
				all := m.ratios(load, s.name, unit)
				switch text := digits(results.Median(all)); {
				case all == nil || s.name == "reference":
				case results.Sure(all):
					ratios = append(ratios, "**"+text+"**")
				default:
					ratios = append(ratios, text)
				}
			}
			table += row(append(cells, strings.Join(ratios, ", "))...)
		}
	}
	return table
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
	slices.SortFunc(cores, func(a, b int) int { return b - a })
	slices.SortFunc(loads, func(a, b string) int { // "2_callers,_3_µs" behind "64_callers,_0_µs"
		n, x, _ := strings.Cut(a, "_")
		m, y, _ := strings.Cut(b, "_")
		i, _ := strconv.Atoi(n)
		j, _ := strconv.Atoi(m)
		return cmp.Or(strings.Compare(strings.TrimSuffix(x, "s"), strings.TrimSuffix(y, "s")),
			cmp.Compare(i, j))
	})
	heading, line := []string{"load"}, []string{"---"}
	for _, n := range cores {
		heading = append(heading, fmt.Sprintf("%d cores: channel", n), "threadcall")
		line = append(line, "---", "---")
	}
	table := m.Machine + ".\n\n" + row(heading...) + row(line...)
	for _, name := range loads {
		cells := []string{label(name)}
		for _, n := range cores {
			load, channel, worse := fmt.Sprintf("Cores%d/%s", n, name), "", []string{}
			if rate := m.median(load, "reference", "calls/s"); rate > 0 {
				cpu := digits(m.median(load, "reference", "cpu-ns/op") / 1000)
				channel = fmt.Sprintf("%.0f calls/s; %s µs", rate, cpu)
				for _, unit := range []string{"calls/s", "cpu-ns/op", "mean-ns", "p99-ns"} {
					worse = append(worse, digits(m.worse(load, unit, unit == "calls/s")))
				}
			}
			cells = append(cells, channel, strings.Join(worse, "; "))
		}
		table += row(cells...)
	}
	return table
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
