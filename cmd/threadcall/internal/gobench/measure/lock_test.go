package measure

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	name := filepath.Join(t.TempDir(), "lock")
	t.Setenv(LockVariable, name)
	for range 2 {
		release, err := lock(t.Context(), nil)
		if errors.Is(err, errors.ErrUnsupported) {
			t.Skip(err)
		}
		if err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(name); err != nil || info.Mode().Perm()&0o044 != 0o044 {
			t.Errorf("%v, %v", info, err)
		}
		stop := errors.New("stop")
		ctx, cancel := context.WithCancelCause(t.Context())
		waited := ""
		if _, err := lock(ctx, func(path string) { waited = path; cancel(stop) }); waited != name ||
			!errors.Is(err, stop) {
			t.Errorf("while it is locked: waited for %q, %v", waited, err)
		}
		release()
		os.Remove(name)
	}
}
