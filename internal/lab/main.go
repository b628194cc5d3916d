// Command lab makes the experiments of three articles again, on the machine at hand, and writes docs/lab.md.
package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/threadcall/threadcall/internal/lab/work"
	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	work.MaybeRun()
	mainthread.Init(func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		context.AfterFunc(ctx, stop) // a second interrupt kills
		os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
	})
}
