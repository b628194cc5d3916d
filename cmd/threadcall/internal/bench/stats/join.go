package stats

import "maps"

// Join returns the results of both, the versions of older first. Results of the two are pairs only if they have the same
// run.
func Join(older, newer *Data) *Data {
	d := New(append(older.Versions(), newer.versions...)...)
	maps.Copy(d.Units, older.Units)
	maps.Copy(d.Units, newer.Units)
	d.Failures = append(append(d.Failures, older.Failures...), newer.Failures...)
	d.Warnings = append(append(d.Warnings, older.Warnings...), newer.Warnings...)
	for _, r := range older.results {
		d.add(r.version, r.place, r.Result)
	}
	for _, r := range newer.results {
		d.add(r.version+len(older.versions), r.place, r.Result)
	}
	return d
}
