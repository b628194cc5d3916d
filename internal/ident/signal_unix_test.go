//go:build unix

package ident

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
)

func init() {
	disturb["a signal interrupts it"] = func(t *testing.T, check func()) {
		signals := make(chan os.Signal, 100)
		signal.Notify(signals, syscall.SIGUSR1)
		defer signal.Stop(signals)
		for range 100 {
			if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
				t.Error(err)
				return
			}
			for range 1000 {
				check()
			}
		}
		<-signals
		check()
	}
}
