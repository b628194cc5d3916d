package mainthread_test

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func draw() { mainthread.Assert() }

func TestAssert(t *testing.T) {
	mainthread.Call(draw)
	text := func() (v any) {
		defer func() { v = recover() }()
		draw()
		return nil
	}()
	if err, ok := text.(error); !ok || !regexp.MustCompile(`^thread: mainthread_test\.draw \(assert_test\.go:11\) must run on the main thread;
it runs on goroutine \d+, started by testing\.\(\*T\)\.Run\.
Write mainthread\.Call\(func\(\) { draw\(\) }\) at assert_test\.go:17, in mainthread_test\.TestAssert\.func\d$`).MatchString(err.Error()) {
		t.Errorf("it panicked with\n%s", fmt.Sprint(text))
	}
}
