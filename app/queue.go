package app

import "sync"

// A kind is a type of event.
type kind uint8

const (
	none kind = iota
	keyKind
	textKind
	buttonKind
	moveMouseKind
	enterKind
	scrollKind
	dropKind
	resizeKind
	moveKind
	scaleKind
	focusKind
	stateKind
	monitorKind
	closeKind
)

// A happening is an event in the queue: one of each type, of which the kind selects one, so that it is copied and not
// allocated.
type happening struct {
	kind    kind
	key     KeyEvent
	text    TextEvent
	button  MouseButtonEvent
	mouse   MouseMoveEvent
	enter   MouseEnterEvent
	scroll  ScrollEvent
	drop    DropEvent
	resize  ResizeEvent
	move    MoveEvent
	scale   ScaleEvent
	focus   FocusEvent
	state   StateEvent
	monitor MonitorEvent
	close   CloseEvent
}

// A maker makes the events of a window.
type maker struct {
	key     blocks[KeyEvent]
	text    blocks[TextEvent]
	button  blocks[MouseButtonEvent]
	mouse   blocks[MouseMoveEvent]
	enter   blocks[MouseEnterEvent]
	scroll  blocks[ScrollEvent]
	drop    blocks[DropEvent]
	resize  blocks[ResizeEvent]
	move    blocks[MoveEvent]
	scale   blocks[ScaleEvent]
	focus   blocks[FocusEvent]
	state   blocks[StateEvent]
	monitor blocks[MonitorEvent]
	close   blocks[CloseEvent]
}

// event returns the event that h is, or nil.
func (m *maker) event(h *happening) Event {
	switch h.kind {
	case keyKind:
		return m.key.add(h.key)
	case textKind:
		return m.text.add(h.text)
	case buttonKind:
		return m.button.add(h.button)
	case moveMouseKind:
		return m.mouse.add(h.mouse)
	case enterKind:
		return m.enter.add(h.enter)
	case scrollKind:
		return m.scroll.add(h.scroll)
	case dropKind:
		return m.drop.add(h.drop)
	case resizeKind:
		return m.resize.add(h.resize)
	case moveKind:
		return m.move.add(h.move)
	case scaleKind:
		return m.scale.add(h.scale)
	case focusKind:
		return m.focus.add(h.focus)
	case stateKind:
		return m.state.add(h.state)
	case monitorKind:
		return m.monitor.add(h.monitor)
	case closeKind:
		return m.close.add(h.close)
	}
	return nil
}

// A queue carries events from the main thread, which does not wait, to the goroutine or thread that handles them.
type queue struct {
	mu   sync.Mutex
	ring []happening // the number of places is a power of two
	head int         // the oldest, counted from the first ever
	tail int         // one after the youngest

	came     func()        // called after each put
	notified chan struct{} // an event has come that Run delivers, or the window has been stopped
}

func newQueue() *queue {
	q := &queue{ring: make([]happening, 64), notified: make(chan struct{}, 1)}
	q.came = q.notify
	return q
}

// In a queue of long events, later moves replace those that wait.
const long = 256

// put adds h. If the queue is long, because the handler is slow, a position or size that came immediately before is
// replaced: only the last counts then.
func (q *queue) put(h happening) {
	q.mu.Lock()
	n := q.tail - q.head
	last := &q.ring[(q.tail-1)&(len(q.ring)-1)]
	switch {
	case n >= long && last.kind == h.kind && (h.kind == moveMouseKind || h.kind == resizeKind || h.kind == moveKind):
		*last = h
	case n == len(q.ring):
		bigger := make([]happening, 2*n)
		for i := q.head; i != q.tail; i++ {
			bigger[i&(2*n-1)] = q.ring[i&(n-1)]
		}
		q.ring = bigger
		fallthrough
	default:
		q.ring[q.tail&(len(q.ring)-1)] = h
		q.tail++
	}
	q.mu.Unlock()
	q.came()
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.tail - q.head
}

func (q *queue) notify() {
	select {
	case q.notified <- struct{}{}:
	default:
	}
}

// get removes the oldest event and stores it in h. Its kind is none if there is none.
func (q *queue) get(h *happening) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == q.tail {
		h.kind = none
		return
	}
	p := &q.ring[q.head&(len(q.ring)-1)]
	*h = *p
	p.drop.Paths, p.monitor.Monitor = nil, nil // the ring does not keep them
	q.head++
}
