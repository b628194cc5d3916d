package ident

import "testing"

// Each M has the value that was added last, however many come and go.
func TestTable(t *testing.T) {
	var table Table[int]
	if table.Find(7) != nil || table.Remove(7, nil) {
		t.Error("an empty table has a value")
	}
	const n = 1000
	values := map[uintptr]*int{}
	for round := range 5 {
		for i := range n {
			m := uintptr(1+i) * 64 // as the addresses of objects of one size
			x := new(int)
			if (i+round)%3 > 0 {
				table.Add(m, x)
				values[m] = x
			} else if table.Remove(m, x) || table.Remove(m, values[m]) != (values[m] != nil) {
				t.Fatalf("round %d: another value is removed, or not that of %d", round, m)
			} else {
				delete(values, m)
			}
		}
		for i := range n {
			if m := uintptr(1+i) * 64; table.Find(m) != values[m] {
				t.Fatalf("round %d: %d has another value than it was given", round, m)
			}
		}
	}
	if size := len(*table.slots.Load()); size > 8*n {
		t.Errorf("%d slots for at most %d values", size, n)
	}
}

// Most of those who have no value need not look for it; and so again when many others have had one.
func TestTable_May(t *testing.T) {
	for _, before := range []int{0, 1000} {
		var table Table[int]
		for i := range before {
			m, x := uintptr(1+i)*64, new(int)
			table.Add(m, x)
			table.Remove(m, x)
		}
		table.Add(640, new(int))
		may := 0
		for i := range 1000 {
			if table.May(uintptr(1+i) * 64) {
				may++
			}
		}
		if !table.May(640) || may > 200 {
			t.Errorf("after %d others, one of 1000 has a value, and %d may have one", before, may)
		}
		for i := range minSlots { // and the table grows
			if table.Add(uintptr(1+i), new(int)); !table.May(640) {
				t.Errorf("after %d more, it has none", i)
			}
		}
	}
}
