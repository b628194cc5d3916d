package gotest

import (
	"context"
	"errors"
	"os"
	"os/signal"
)

// ErrInterrupted is the cause of the contexts of [Interruptible].
var ErrInterrupted = errors.New("interrupted")

// Interruptible returns a context that ends when the user asks for an end, of which report is called, or when the reader
// of the output is gone. What was measured until then can still be shown. When the user asks again, all processes are
// killed, all scratch directories removed, and this process exits with status 1.
func Interruptible(report func()) (ctx context.Context, stop func()) {
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
		if _, ok := <-signals; ok {
			killAll()
			removeScratches()
			os.Exit(1)
		}
	}()
	return ctx, func() {
		signal.Stop(signals)
		signal.Stop(pipe)
		close(signals)
		cancel(nil)
	}
}
