package app

import (
	"testing"
	"testing/quick"
)

func keyed(n int) happening { return happening{kind: keyKind, key: KeyEvent{Scancode: n}} }

func moved(n int) happening {
	return happening{kind: moveMouseKind, mouse: MouseMoveEvent{X: float64(n)}}
}

func TestQueueKeepsTheOrderWhileItGrows(t *testing.T) {
	q := newQueue()
	in, out := 0, 0
	take := func() {
		if h := q.get(); h.kind != keyKind || h.key.Scancode != out {
			t.Fatalf("event %d is %+v", out, h)
		}
		out++
	}
	for round := range 200 {
		for range round {
			q.put(keyed(in))
			in++
		}
		for range round / 2 {
			take()
		}
	}
	for out < in {
		take()
	}
	if h := q.get(); h.kind != none {
		t.Errorf("an empty queue gave %+v", h)
	}
}

func TestQueueKeepsEveryMoveOfAHandlerThatFollows(t *testing.T) {
	q := newQueue()
	for i := range crowd {
		q.put(moved(i))
	}
	for i := range crowd {
		if h := q.get(); h.mouse.X != float64(i) {
			t.Fatalf("move %d is %+v", i, h)
		}
	}
}

func TestQueueForgetsMovesThatASlowHandlerHasNotSeen(t *testing.T) {
	q := newQueue()
	const many = 100_000
	for i := range many {
		q.put(moved(i))
	}
	if len(q.ring) > 2*crowd {
		t.Errorf("%d moves took %d places", many, len(q.ring))
	}
	var last happening
	for h := q.get(); h.kind != none; h = q.get() {
		last = h
	}
	if last.mouse.X != many-1 {
		t.Errorf("the last move was %v", last.mouse)
	}
}

// What comes between two moves must find the mouse where it was.
func TestQueueKeepsAMoveBeforeAClick(t *testing.T) {
	q := newQueue()
	for i := range 3 * crowd {
		q.put(moved(i))
		q.put(keyed(i))
	}
	for i := range 3 * crowd {
		m, k := q.get(), q.get()
		if m.mouse.X != float64(i) || k.key.Scancode != i {
			t.Fatalf("pair %d is %+v, %+v", i, m, k)
		}
	}
}

func TestQueueDropsNothingButMoves(t *testing.T) {
	kinds := []kind{keyKind, textKind, buttonKind, enterKind, scrollKind, dropKind, scaleKind, focusKind, stateKind, closeKind}
	for _, k := range kinds {
		q := newQueue()
		for range 2 * crowd {
			q.put(happening{kind: k})
		}
		n := 0
		for h := q.get(); h.kind != none; h = q.get() {
			n++
		}
		if n != 2*crowd {
			t.Errorf("of %d events of kind %d, %d came", 2*crowd, k, n)
		}
	}
}

// Against the simplest queue there is.
func TestQueueIsAQueue(t *testing.T) {
	check := func(steps []uint8) bool {
		q := newQueue()
		var model []happening
		n := 0
		for _, s := range steps {
			for range int(s >> 1) {
				if s&1 == 0 {
					h := q.get()
					if len(model) == 0 {
						if h.kind != none {
							return false
						}
						continue
					}
					if h.kind != model[0].kind || h.key != model[0].key || h.mouse != model[0].mouse {
						return false
					}
					model = model[1:]
					continue
				}
				n++
				h := keyed(n)
				if n%3 > 0 {
					h = moved(n)
				}
				q.put(h)
				if len(model) >= crowd && h.kind == moveMouseKind && model[len(model)-1].kind == moveMouseKind {
					model[len(model)-1] = h
				} else {
					model = append(model, h)
				}
			}
		}
		return true
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 200}); err != nil {
		t.Error(err)
	}
}

func TestQueueKeepsNoPaths(t *testing.T) {
	q := newQueue()
	q.put(happening{kind: dropKind, drop: []string{"a"}})
	if h := q.get(); len(h.drop) != 1 {
		t.Errorf("got %+v", h)
	}
	for i, h := range q.ring {
		if h.drop != nil {
			t.Errorf("place %d still holds %q", i, h.drop)
		}
	}
}

func TestQueueAllocatesNothing(t *testing.T) {
	q := newQueue()
	var e events
	if n := testing.AllocsPerRun(1000, func() {
		for i := range 10 {
			q.put(moved(i))
			q.put(keyed(i))
		}
		for h := q.get(); h.kind != none; h = q.get() {
			_ = e.from(&h)
		}
	}); n > 0 {
		t.Errorf("20 events: %v allocations", n)
	}
}

// Every kind becomes its event: a table, because a forgotten one would be a nil event.
func TestQueueKindsAndEvents(t *testing.T) {
	var e events
	for k := keyKind; k <= closeKind; k++ {
		if e.from(&happening{kind: k}) == nil {
			t.Errorf("kind %d has no event", k)
		}
	}
}

func BenchmarkQueue(b *testing.B) {
	q := newQueue()
	var e events
	b.ReportAllocs()
	for b.Loop() {
		q.put(moved(1))
		h := q.get()
		_ = e.from(&h)
	}
}
