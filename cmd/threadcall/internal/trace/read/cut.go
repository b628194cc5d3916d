package read

import xtrace "golang.org/x/exp/trace"

// advancer is the goroutine of the runtime that ends a generation when its time is over.
const advancer = "runtime.(*traceAdvancerState).start.func1"

// advancing reports whether the trace ends where the advancer had ended a generation, after which another one begins. A
// trace that was stopped, and a window of a flight recorder, end with a generation that their own goroutine has ended,
// while the advancer waits. So this is the end of a file whose program was killed between two generations, for which
// the file itself has no sign.
func (s *scheduler) advancing() bool {
	n, ok := s.functions.of[advancer]
	if !ok {
		return false
	}
	for _, g := range s.existing {
		if g.function == n && g.state == xtrace.GoRunning && g.why != "" { // not in its first execution, before it waits
			return true
		}
	}
	return false
}
