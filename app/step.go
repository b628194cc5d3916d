package app

import "time"

// OnStep makes step run once for each period d that has passed, on the window's thread and before OnDraw, for simulations
// whose results must not depend on the rate of the frames:
//
//	w.OnStep(time.Second/120, func() { last, ball = ball, ball.moved() })
//	w.OnDraw(func(f *app.Frame) { draw(mix(last, ball, f.Alpha)) })
//
// A frame has run [Frame.Steps] of them, often none or several, and [Frame.Alpha] of the next period had passed when it
// began. Steps begin with the first frame after OnStep.
//
// A frame runs the steps of at most a quarter of a second, such as after the window has been minimized, and stops stepping
// once that has taken a twentieth of a second: then the simulation is slower than the clock, but frames go on. The periods
// that are left out are not made up for.
//
// A nil function ends the steps, and so does d <= 0. [OnDemand] windows step when a frame is drawn. A panic in step is as
// one in OnDraw.
func (w *Win) OnStep(d time.Duration, step func()) {
	var before, now *stepping
	if step != nil && d > 0 {
		now = &stepping{period: d, step: step}
	}
	before = w.onStep.Swap(now)
	w.changed((before == nil) != (now == nil))
}

// stepping is what OnStep was called with, and how far the window's thread is.
type stepping struct {
	period time.Duration
	step   func()
	begun  bool
	left   time.Duration // that has passed without a step
}

const (
	mostBehind   = time.Second / 4  // what a frame makes up for, at the most
	mostStepping = time.Second / 20 // how long steps may delay a frame
)

// due returns how many steps are due when delta has passed since the last frame.
func (s *stepping) due(delta time.Duration) (n int) {
	if !s.begun {
		s.begun = true
		return 0
	}
	s.left += min(delta, max(mostBehind, s.period))
	n = int(s.left / s.period)
	s.left %= s.period
	return n
}

// takeSteps runs the steps that are due in a frame.
func (w *Win) takeSteps(f *Frame) {
	f.Steps, f.Alpha = 0, 0
	s := w.onStep.Load()
	if s == nil {
		return
	}
	w.inside = "OnStep"
	began := time.Now()
	for n := s.due(f.Delta); f.Steps < n; {
		s.step()
		f.Steps++
		if time.Since(began) > mostStepping {
			break
		}
	}
	f.Alpha = float64(s.left) / float64(s.period)
}
