package app

import (
	"reflect"
	"testing"
	"testing/quick"
)

// A queue does what a slice does: in a long one, a move replaces the move before it.
func TestQueue_replacesTheLastMoveIfLong(t *testing.T) {
	check := func(steps []uint8) bool {
		q := newQueue()
		var model []Event
		for i, s := range steps {
			for n := range int(s >> 1) {
				number := 1000*i + n
				switch {
				case s&1 == 0:
					var want Event
					if len(model) > 0 {
						want, model = model[0], model[1:]
					}
					if !reflect.DeepEqual(q.get(), want) {
						return false
					}
				case n%3 == 0:
					e := &KeyEvent{Scancode: number}
					q.post(e)
					model = append(model, e)
				default:
					e := &MouseMoveEvent{X: float64(number)}
					q.post(e)
					if last := len(model) - 1; last+1 >= long {
						if _, same := model[last].(*MouseMoveEvent); same {
							model = model[:last]
						}
					}
					model = append(model, e)
				}
			}
		}
		return q.len() == len(model)
	}
	if err := quick.Check(check, &quick.Config{MaxCount: 200}); err != nil {
		t.Error(err)
	}
}

func TestQueue_letsGoOfEvents(t *testing.T) {
	q := newQueue()
	q.post(&DropEvent{[]string{"a"}})
	events := q.events
	if e, ok := q.get().(*DropEvent); !ok || len(e.Paths) != 1 {
		t.Errorf("got %+v", e)
	}
	if events[0] != nil {
		t.Errorf("the queue still holds %v", events[0])
	}
}
