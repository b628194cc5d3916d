package nativeloop_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
	"github.com/threadcall/threadcall/nativeloop"
	"github.com/threadcall/threadcall/thread"
)

func TestTake_namesTheOtherLibrary(t *testing.T) {
	release, err := takeAsTray(mainthread.Thread())
	if err != nil {
		t.Fatal(err)
	}
	_, err = nativeloop.Take(mainthread.Thread(), "webview")
	if taken := (*nativeloop.TakenError)(nil); !errors.As(err, &taken) || taken.Name != "tray" ||
		!strings.Contains(taken.Stack, "takeAsTray") || !strings.Contains(err.Error(), taken.Stack) {
		t.Errorf("the second Take returned %v", err)
	}
	other := thread.New()
	defer other.Terminate()
	if _, err := nativeloop.Take(other, "webview"); err != nil {
		t.Error(err)
	}
	release()
	release, err = takeAsTray(mainthread.Thread())
	if err != nil {
		t.Error(err)
	}
	release()
}

func takeAsTray(t *thread.Thread) (release func(), err error) { return nativeloop.Take(t, "tray") }
