package testnomain

import (
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func TestShow(t *testing.T) { // want `^no TestMain calls mainthread.Init, for which mainthread.Go waits; called by TestShow` TestShow:"needs init for mainthread.Go"
	mainthread.Go(func() {})
}
