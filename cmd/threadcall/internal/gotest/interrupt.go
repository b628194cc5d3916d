package gotest

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"time"
)

// ErrInterrupted is the cause of the contexts of [Interruptible].
var ErrInterrupted = errors.New("interrupted")

// sameSignal is how long after the first signal others count as the same: timeout(1) sends one to the process and one to
// its group.
const sameSignal = time.Second

// Interruptible returns a context that ends when the user asks for an end, of which report is called, or when the reader
// of the output is gone. What was measured until then can still be shown. When the user asks again, more than a second
// later, all processes are killed, all scratch directories removed, and this process exits with the status.
func Interruptible(status int, report func()) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(context.Background())
	signals, pipe := make(chan os.Signal, 2), make(chan os.Signal, 1)
	signal.Notify(signals, endSignals()...)
	if pipeSignal != nil { // it would end this process and leave its files
		signal.Notify(pipe, pipeSignal)
	}
	go func() {
		select {
		case _, ok := <-signals:
			if !ok {
				return
			}
			report()
		case <-pipe:
		}
		cancel(ErrInterrupted)
		for again := time.Now().Add(sameSignal); ; {
			if _, ok := <-signals; !ok {
				return
			}
			if time.Now().Before(again) {
				continue
			}
			killAll()
			removeScratches()
			os.Exit(status)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipe)
		close(signals)
		cancel(nil)
	}
}
