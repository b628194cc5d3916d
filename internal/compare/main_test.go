package compare

import (
	"os"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	mainthread.Init(func() { os.Exit(m.Run()) })
}
