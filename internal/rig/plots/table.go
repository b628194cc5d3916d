package main

import (
	"fmt"
	"strings"

	"github.com/threadcall/threadcall/internal/rig/results"
)

// firstRows are the loads of README.md: gains, and losses next to them.
var firstRows = []struct{ load, text string }{
	{"Phase/loop", "calls in a closed loop"},
	{"Phase/frame_16_ms,_50_calls,_10_µs", "a frame of 16 ms: 50 times 10 µs of work and a call"},
	{"Phase/burst_of_200_after_4_ms", "200 calls after a pause of 4 ms"},
	{"Phase/loop,_16_callers", "16 callers"},
	{"Phase/100_Go_and_a_Call", "100 times `Go` and a call"},
	{"Phase/lone_call_each_2_ms", "a call every 2 ms"},
	{"Phase/loop,_function_80_µs", "functions of 80 µs: no gain"},
	{"Phase/loop,_4_threads_in_turn", "four threads in turn"},
	{"Crowded/loop", "a closed loop next to two processes that compute"},
	{"Crowded/frame_16_ms,_50_calls,_10_µs", "the frame of 16 ms next to two processes that compute"},
	{"Crowded/burst_of_200_after_4_ms", "the 200 calls next to two processes that compute"},
	{"Short", "a thread for one call: `New`, `Call`, `Terminate`"},
	{"Setns", "one `setns` in a thread of `keyed`, not in a locked goroutine"},
}

// first returns the table of README.md.
func (m *measured) first() string {
	var b strings.Builder
	b.WriteString("| load | channel, p50 | threadcall, p50 | time | CPU | p99 |\n" +
		"| --- | --- | --- | --- | --- | --- |\n")
	for _, row := range firstRows {
		subject := m.subject(row.load)
		if subject == "" {
			continue
		}
		fmt.Fprintf(&b, "| %s | %s | %s |", row.text, micro(m.median(row.load, "reference", "p50-ns")),
			micro(m.median(row.load, subject, "p50-ns")))
		for _, unit := range []string{"p50-ns", "cpu-ns/op", "p99-ns"} {
			fmt.Fprintf(&b, " %s |", m.cell(row.load, subject, unit))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "\n%s.\n", m.Machine)
	return b.String()
}

// subject returns the main thread where the load has one, or else an own one.
func (m *measured) subject(load string) string {
	for _, s := range []string{"threadcall", "thread"} {
		if m.median(load, s, "p50-ns") > 0 {
			return s
		}
	}
	return ""
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

func micro(ns float64) string {
	if ns >= 1e6 {
		return digits(ns/1e6) + " ms"
	}
	return digits(ns/1000) + " µs"
}

// all returns the appendix: each load with all that was measured of it.
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

func label(load string) string {
	name := strings.ReplaceAll(strings.TrimPrefix(load, "Phase/"), "_", " ")
	if crowded, ok := strings.CutPrefix(name, "Crowded/"); ok {
		return crowded + ", crowded"
	}
	return name
}
