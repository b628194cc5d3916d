package app

import "sync"

// A kind says which field of a happening counts.
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
	closeKind
)

// A happening is an event in the queue: room for one of each kind that is needed there, so that it is copied and not
// allocated.
type happening struct {
	kind   kind
	key    KeyEvent
	text   TextEvent
	button MouseButtonEvent
	mouse  MouseMoveEvent // also of ScrollEvent
	flag   bool           // of MouseEnterEvent and FocusEvent
	drop   []string
	resize ResizeEvent
	move   MoveEvent
	scale  ScaleEvent
	state  StateEvent
}

// A queue takes events from the main thread, which never waits, to the window's goroutine.
type queue struct {
	mu   sync.Mutex
	ring []happening // the number of places is a power of two
	head int         // the oldest, counted from the first ever
	tail int         // one after the youngest

	bell chan struct{} // something has come, or the window shall close
}

func newQueue() *queue { return &queue{ring: make([]happening, 64), bell: make(chan struct{}, 1)} }

// crowd is how many events may wait before moves that nobody has looked at yet give way to later ones.
const crowd = 256

// put adds h. If the queue is long, because the handler is slow, a position or size that came immediately before is
// replaced: only the last counts then.
func (q *queue) put(h happening) {
	q.mu.Lock()
	n := q.tail - q.head
	last := &q.ring[(q.tail-1)&(len(q.ring)-1)]
	switch {
	case n >= crowd && last.kind == h.kind && (h.kind == moveMouseKind || h.kind == resizeKind || h.kind == moveKind):
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
	q.announce()
}

// announce rings the bell.
func (q *queue) announce() {
	select {
	case q.bell <- struct{}{}:
	default:
	}
}

// get takes the oldest event. Its kind is none if there is none.
func (q *queue) get() (h happening) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.head == q.tail {
		return h
	}
	p := &q.ring[q.head&(len(q.ring)-1)]
	h = *p
	p.drop = nil
	q.head++
	return h
}

// events has one event of each kind, to which the handler is given a pointer.
type events struct {
	key    KeyEvent
	text   TextEvent
	button MouseButtonEvent
	mouse  MouseMoveEvent
	enter  MouseEnterEvent
	scroll ScrollEvent
	drop   DropEvent
	resize ResizeEvent
	move   MoveEvent
	scale  ScaleEvent
	focus  FocusEvent
	state  StateEvent
	close  CloseEvent
}

// from returns the event that h is.
func (e *events) from(h *happening) Event {
	switch h.kind {
	case keyKind:
		e.key = h.key
		return &e.key
	case textKind:
		e.text = h.text
		return &e.text
	case buttonKind:
		e.button = h.button
		return &e.button
	case moveMouseKind:
		e.mouse = h.mouse
		return &e.mouse
	case enterKind:
		e.enter = MouseEnterEvent{h.flag}
		return &e.enter
	case scrollKind:
		e.scroll = ScrollEvent{h.mouse.X, h.mouse.Y}
		return &e.scroll
	case dropKind:
		e.drop = DropEvent{h.drop}
		return &e.drop
	case resizeKind:
		e.resize = h.resize
		return &e.resize
	case moveKind:
		e.move = h.move
		return &e.move
	case scaleKind:
		e.scale = h.scale
		return &e.scale
	case focusKind:
		e.focus = FocusEvent{h.flag}
		return &e.focus
	case stateKind:
		e.state = h.state
		return &e.state
	case closeKind:
		e.close = CloseEvent{}
		return &e.close
	}
	return nil
}
