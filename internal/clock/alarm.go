package clock

import "time"

// An Alarm calls a function when a time has come. It may call it early, and once too often. Init,
// Set and Stop must not be called at the same time; the function may call Set.
type Alarm struct {
	fire    func()
	timer   *time.Timer // nil before the first Set, and if shared
	precise bool
	shared  // if precise; see clock_linux.go
}

// Init prepares the alarm, which calls fire. If precise is true, it is not late by a millisecond on
// Linux; Set must then be called outside of the bubbles of testing/synctest.
func (a *Alarm) Init(fire func(), precise bool) { a.fire, a.precise = fire, precise }

// Set has the alarm call its function once d has passed, and not at the time that was set before.
//
//threadcall:noalloc
func (a *Alarm) Set(d time.Duration) {
	if a.precise && a.share(d) {
		return
	}
	if a.timer == nil { // in an hour, so that the function finds it set
		a.timer = time.AfterFunc(time.Hour, a.fire) //threadcall:alloc once
	}
	a.timer.Reset(d)
}

// After Stop the alarm does not call its function, or once if it is about to.
func (a *Alarm) Stop() {
	a.unshare()
	if a.timer != nil {
		a.timer.Stop()
	}
}
