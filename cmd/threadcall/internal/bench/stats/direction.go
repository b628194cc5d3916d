package stats

import "golang.org/x/perf/benchfmt"

// Direction returns 1 if higher values of a tidied unit are better, -1 if lower ones are, and 0 if that is not known.
func Direction(units benchfmt.UnitMetadataMap, unit string) int { return better(units, unit) }
