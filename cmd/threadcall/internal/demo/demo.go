// Package demo shows what threadcall promises and what it costs, on the machine that it runs on. Whatever it reports it
// has observed.
//
// [Facts] tries the main thread and says what was expected and what was seen. [Measure] times a call by the designs of
// the article that threadcall starts from, and by threadcall. A [Report] has it all for programs, a [Text] tells it to
// people.
package demo

import (
	"time"

	"github.com/threadcall/threadcall/mainthread"
)

// patience is how long an experiment may take. It is a thousand times what the slowest needs.
const patience = 10 * time.Second

// A library is what the experiments are made on.
type library struct {
	Call  func(f func()) bool
	Go    func(f func()) bool
	Error func() error
}

//lint:ignore SA1019 it is what the libraries have that mainthread can stand in for
var threadcall = library{mainthread.Call, mainthread.Go, mainthread.Error}
