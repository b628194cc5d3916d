// Command soak lets threadcall do all it can for an hour, watches what the process holds, and fails if anything grows.
package main

import (
	"context"
	"os"
	"os/signal"

	"github.com/threadcall/threadcall/mainthread"
)

func main() {
	mainthread.Init(func() {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
		context.AfterFunc(ctx, stop) // a second interrupt kills
		os.Exit(command(ctx, os.Args[1:], os.Stdout, os.Stderr))
	})
}
