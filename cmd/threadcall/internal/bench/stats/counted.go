package stats

// Counted reports whether the unit is one of the counters of the CPU.
func Counted(unit string) bool { return unit == Instructions || unit == Cycles }

// setCountersAside sets aside the verdicts about what counters of the CPU have counted, where the time is known: most
// changes of a program change its instructions by a little, and that is not what a verdict is about.
func (c *Comparison) setCountersAside() {
	if c.table("sec/op") == nil {
		return
	}
	for i := range c.Tables {
		t := &c.Tables[i]
		if !Counted(t.Unit) {
			continue
		}
		aside(t.Geomean)
		for _, row := range t.Rows {
			aside(row.Deltas)
		}
	}
}

// Excludes reports whether the interval of the estimate excludes no difference, as that of each visible one does; the
// verdict may have been set aside.
func (d Delta) Excludes() bool {
	return d.Visible() || d.Verdict == Aside && d.Interval != nil && (d.Interval.Low > neutral(d.Absolute) || d.Interval.High < neutral(d.Absolute))
}
