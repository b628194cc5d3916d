//go:build unix

package ident

import (
	"os"
	"os/signal"
	"syscall"
	"testing"
	"time"
)

func TestGIsTheSameAfterASignal(t *testing.T) {
	signals := make(chan os.Signal, 100)
	signal.Notify(signals, syscall.SIGUSR1)
	defer signal.Stop(signals)
	g := G()
	for range 100 {
		if err := syscall.Kill(os.Getpid(), syscall.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		for range 1000 {
			if G() != g {
				t.Fatal("g has changed")
			}
		}
	}
	select {
	case <-signals:
	case <-time.After(20 * time.Second):
		t.Error("no signal came")
	}
	if G() != g {
		t.Error("g has changed")
	}
}
