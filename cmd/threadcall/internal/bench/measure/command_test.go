//go:build unix

package measure

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/plan"
	"github.com/threadcall/threadcall/internal/testutil"
)

func TestCommands_start(t *testing.T) {
	t.Setenv("MEASURE_TEST", "1")
	stderr, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer stderr.Close()
	c := &commands{Settings: &plan.Settings{}, stderr: stderr}
	start := func(text string) (usage, error) {
		return c.start(t.Context(), text,
			plan.InShell(text))
	}
	self := os.Args[0] + " 100ms "
	// of all its processes
	for _, text := range []string{self + "200", self + "200 && " + self + "10"} {
		u, err := start(text)
		if err != nil || u.cpu <= 0 || u.wall < 100*time.Millisecond {
			t.Errorf("%s: %+v, %v", text, u, err)
		}
		if u.peak < 200<<20 || u.peak > 400<<20 && !testutil.Race { // whose memory comes on top
			t.Errorf("%s: %d bytes", text, u.peak)
		}
	}
	for text, want := range map[string]string{
		"echo first >&2; echo why >&2; exit 3": "exit status 3\nfirst\nwhy",
		"false":                                "exit status 1; it wrote nothing",
	} {
		if _, err := start(text); err == nil || !strings.HasSuffix(err.Error(), want) &&
			!strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
	c.Timeout = time.Millisecond
	if _, err := start("sleep 1000"); err == nil || !strings.Contains(err.Error(), "-timeout 1ms") {
		t.Error(err)
	}
	c.Timeout = 0
	ctx, cancel := context.WithCancelCause(t.Context())
	stop := errors.New("stop")
	time.AfterFunc(time.Millisecond, func() { cancel(stop) })
	if _, err := c.start(ctx, "", []string{"sleep", "1000"}); !errors.Is(err, stop) {
		t.Error(err)
	}
}
