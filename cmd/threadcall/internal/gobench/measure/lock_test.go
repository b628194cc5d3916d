package measure

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// A waiter calls then when something is written.
type waiter struct {
	strings.Builder
	then func()
}

func (w *waiter) Write(p []byte) (int, error) {
	defer w.then()
	return w.Builder.Write(p)
}

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	t.Setenv(LockVariable, name)
	for range 2 {
		p := &plan.Plan{Screen: ui.To(io.Discard)}
		release, err := Lock(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		if p.Record.Notes != nil {
			t.Skip(p.Record.Notes)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o044 != 0o044 {
			t.Errorf("%v, %v", info, err)
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		waits := &waiter{then: func() { cancel(stop) }}
		if _, err := Lock(ctx, &plan.Plan{Screen: ui.To(waits)}); !errors.Is(err, stop) ||
			!strings.Contains(waits.String(), name) {
			t.Errorf("while it is locked: %q, %v", waits, err)
		}
		release()
		os.Remove(name)
	}
}
