package stats

// Throughput reports whether the row of t is the rate of a benchmark whose time is known as well: MB/s is bytes divided by
// that time, so what it shows is not a second finding.
func (c *Comparison) Throughput(t *Table, r *Row) bool {
	return t.Unit == "B/s" && c.Find("sec/op", r.Package, r.Name) != nil
}

// Find returns the row of a benchmark in a unit, or nil.
func (c *Comparison) Find(unit, pkg, name string) *Row {
	for i := range c.Tables {
		if c.Tables[i].Unit != unit {
			continue
		}
		for j := range c.Tables[i].Rows {
			if r := &c.Tables[i].Rows[j]; r.Package == pkg && r.Name == name {
				return r
			}
		}
	}
	return nil
}
