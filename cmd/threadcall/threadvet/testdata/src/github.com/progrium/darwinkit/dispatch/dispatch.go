// Package dispatch has some functions of the real one, for the tests of the analyzer.
package dispatch

type Queue struct{}

func MainQueue() Queue                 { return Queue{} }
func GlobalQueue() Queue               { return Queue{} }
func (q Queue) DispatchAsync(f func()) {}
