package app

import (
	"testing"
	"testing/quick"
)

func event(k kind, n int) happening {
	return happening{kind: k, key: KeyEvent{Scancode: n}}
}

func take(q *queue) (h happening) {
	q.get(&h)
	return h
}

// A queue does what a slice does: in a long one, a move replaces the move before it.
func TestQueue(t *testing.T) {
	check := func(steps []uint8) bool {
		q := newQueue()
		var model []happening
		n := 0
		for _, s := range steps {
			for range int(s >> 1) {
				if s&1 == 0 {
					h := take(q)
					if len(model) == 0 {
						if h.kind != none {
							return false
						}
						continue
					}
					if h.kind != model[0].kind || h.key != model[0].key {
						return false
					}
					model = model[1:]
					continue
				}
				n++
				h := event(keyKind, n)
				if n%3 > 0 {
					h.kind = moveMouseKind
				}
				q.put(h)
				if len(model) >= long && h.kind == moveMouseKind && model[len(model)-1].kind == moveMouseKind {
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

func TestQueue_slowHandler(t *testing.T) {
	var m maker
	for k := keyKind; k <= closeKind; k++ {
		q := newQueue()
		const many = 10_000
		for i := range many {
			q.put(event(k, i))
		}
		n := 0
		var last happening
		for h := take(q); h.kind != none; h = take(q) {
			last = h
			n++
		}
		want := many
		if k == moveMouseKind || k == resizeKind || k == moveKind {
			want = long
		}
		if n != want || last.key.Scancode != many-1 || m.event(&last) == nil {
			t.Errorf("of %d events of kind %d, %d came, want %d; the last is %v", many, k, n, want, m.event(&last))
		}
	}
}

func TestQueue_memory(t *testing.T) {
	q := newQueue()
	q.put(happening{kind: dropKind, drop: DropEvent{[]string{"a"}}})
	if h := take(q); len(h.drop.Paths) != 1 {
		t.Errorf("got %+v", h)
	}
	for i, h := range q.ring {
		if h.drop.Paths != nil {
			t.Errorf("place %d still holds %q", i, h.drop.Paths)
		}
	}
	var h happening
	var m maker
	if n := testing.AllocsPerRun(1000, func() {
		q.put(event(moveMouseKind, 0))
		q.get(&h)
		_ = m.event(&h)
	}); n > 0 {
		t.Errorf("an event: %v allocations", n)
	}
}
