package app

import (
	"reflect"
	"sync"
)

// A queue carries events from the main thread, which does not wait, to what handles them.
type queue struct {
	mu     sync.Mutex
	events []Event // the oldest first

	came     func() // called after each event
	notified signal // an event has come that Run delivers, or the window has been stopped
}

func newQueue() *queue {
	notified := make(signal, 1)
	return &queue{came: notified.set, notified: notified}
}

// A signal has a place for what ends a wait.
type signal chan struct{}

func (s signal) set() {
	select {
	case s <- struct{}{}:
	default:
	}
}

// In a queue of long events, one of which only the last counts replaces one of its type before it.
const long = 256

// post queues an event. The main thread calls it.
func (q *queue) post(e Event) {
	q.mu.Lock()
	last := len(q.events) - 1
	if last+1 >= long && e.event() && reflect.TypeOf(e) == reflect.TypeOf(q.events[last]) {
		q.events[last] = e
	} else {
		q.events = append(q.events, e)
	}
	q.mu.Unlock()
	q.came()
}

func (q *queue) len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.events)
}

func (q *queue) get() (e Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.events) > 0 {
		e, q.events[0] = q.events[0], nil // the program may drop it before the array is dropped
		q.events = q.events[1:]
	}
	return e
}
