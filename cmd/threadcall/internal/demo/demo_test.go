package demo

import (
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

//threadcall:ignore none of its experiments calls the main thread
func TestPrinter_facts(t *testing.T) {
	var text strings.Builder
	var all, wrong int
	var hung bool
	synctest.Test(t, func(t *testing.T) {
		release := make(chan bool)
		defer close(release)
		all, wrong, hung = printer{ui.To(&text)}.facts([]experiment{
			{"fire is hot", func() (expected, seen string) { return "hot", "hot" }},
			{"fire is cold", func() (expected, seen string) { return "cold", "hot" }},
			{"it ends", func() (expected, seen string) { runtime.Goexit(); return }},
			{"it hangs", func() (expected, seen string) { <-release; return }},
			{"it is not made", func() (expected, seen string) { t.Error("it is made"); return }},
		}, time.Minute)
	})
	if all != 4 || wrong != 3 || !hung {
		t.Errorf("%d of %d wrong, hung %v", wrong, all, hung)
	}
	for _, want := range []string{"ok     fire is hot\n       expected  hot\n       seen      hot\n",
		"WRONG  fire is cold\n       expected  cold\n       seen      hot\n",
		"seen      the end of the goroutine that asked\n", "seen      none in 1m0s\n"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}
