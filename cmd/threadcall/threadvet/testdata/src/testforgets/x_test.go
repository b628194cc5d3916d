package testforgets

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { // want `^TestMain does not call mainthread.Init, for which mainthread.Call waits; called by Show \(x.go:6\), called by TestShow \(x_test.go:12\), which package testing runs on a goroutine$`
	os.Exit(m.Run())
}

func TestShow(t *testing.T) { Show() } // want TestShow:"needs init for mainthread.Call"
