package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/gofrs/flock"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gobench/plan"
)

// LockVariable names the environment variable with the name of the file that a run locks, so that
// one at a time measures on a machine. Without it, all users of the machine have the same one.
const LockVariable = "THREADCALL_BENCH_LOCK"

// Lock waits for the lock, which lasts until release or the end of the process; processes that this
// one starts do not prolong it. If ctx ends first, the error wraps its cause. Where the kernel has
// no such locks, there is none.
func Lock(ctx context.Context, p *plan.Plan) (release func(), err error) {
	path := os.Getenv(LockVariable)
	if path == "" {
		dir := "/tmp" // TMPDIR is another directory for each user on some systems
		if runtime.GOOS == "windows" {
			dir = cmp.Or(os.Getenv("ProgramData"), os.TempDir())
		}
		path = filepath.Join(dir, "threadcall-bench.lock")
	}
	// Linux can refuse O_CREATE for a file of another user in /tmp (fs.protected_regular), and no
	// other user needs to write to it.
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL, 0o644)
	if err == nil {
		_ = f.Chmod(0o644) // whatever the umask
		f.Close()
	}
	l := flock.New(path, flock.SetFlag(os.O_RDONLY))
	locked, err := l.TryLock()
	if err == nil && !locked {
		p.Trouble("Waiting for another benchmark, which has locked " + path)
		_, err = l.TryLockContext(ctx, 200*time.Millisecond)
	}
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("interrupted while another benchmark runs: %w", context.Cause(ctx))
	case errors.Is(err, errors.ErrUnsupported):
		p.Note("This system has no locks that a crash releases, so other benchmarks may run at the " +
			"same time.")
		return func() {}, nil
	case err != nil:
		return nil, fmt.Errorf("cannot lock the machine: %w; %s can name another file", err,
			LockVariable)
	}
	return func() { _ = l.Close() }, nil
}
