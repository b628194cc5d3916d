package program

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A Runner starts commands, one at a time.
type Runner struct {
	Timeout time.Duration // of a command; 0: none

	scratch *os.File // for the standard error, of which a failure shows the end
}

// NewRunner returns a runner with a file in the directory dir, which must last as long as the runner.
func NewRunner(dir string) (*Runner, error) {
	f, err := os.CreateTemp(dir, "stderr-")
	if err != nil {
		return nil, err
	}
	return &Runner{scratch: f}, nil
}

// Close closes the file.
func (r *Runner) Close() error { return r.scratch.Close() }

// A Use is what a run of a command has used, with all processes that it has started and waited for.
type Use struct {
	Wall, User, System time.Duration
	Peak               int64 // bytes of the process with most memory; 0: not known
	Least              int64 // the smallest Peak that can be known; 0: none can
}

// Run runs the command once, with no input.
func (r *Runner) Run(ctx context.Context, c Command) (Use, error) { return r.run(ctx, c.Text, c.args) }

// Shell runs text by the shell that is usual on the system.
func (r *Runner) Shell(ctx context.Context, text string) (Use, error) {
	return r.run(ctx, text, inShell(text))
}

func (r *Runner) run(ctx context.Context, text string, args []string) (Use, error) {
	limited, cancel := ctx, context.CancelFunc(func() {})
	if r.Timeout > 0 {
		limited, cancel = context.WithTimeout(ctx, r.Timeout)
	}
	defer cancel()
	cmd := exec.Command(args[0], args[1:]...)
	literally(cmd, args)
	// A file, for which this process does nothing while the command runs, as it would for a pipe.
	cmd.Stderr = r.scratch
	if err := r.rewind(); err != nil {
		return Use{}, err
	}
	least := leastPeak()
	began := time.Now()
	err := gotest.Run(limited, cmd)
	u := Use{Wall: time.Since(began)}
	if ctx.Err() != nil {
		return Use{}, context.Cause(ctx)
	}
	if cmd.ProcessState == nil {
		return Use{}, fmt.Errorf("cannot start %s: %w", text, err)
	}
	u.User, u.System = cmd.ProcessState.UserTime(), cmd.ProcessState.SystemTime()
	if p := peak(cmd.ProcessState); p > 0 {
		if u.Least = max(1, least()); p > u.Least {
			u.Peak = p
		}
	}
	switch {
	case err != nil && limited.Err() != nil:
		return u, fmt.Errorf("%s took longer than -timeout %v", text, r.Timeout)
	case err != nil:
		return u, fmt.Errorf("%s: %w%s", text, err, r.complaint())
	}
	return u, nil
}

func (r *Runner) rewind() error {
	if err := r.scratch.Truncate(0); err != nil {
		return err
	}
	_, err := r.scratch.Seek(0, io.SeekStart)
	return err
}

// complaint returns the end of what the command has written to its standard error.
func (r *Runner) complaint() string {
	const most = 2000
	size, err := r.scratch.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	text := make([]byte, min(size, most))
	n, _ := r.scratch.ReadAt(text, size-int64(len(text)))
	lines := strings.TrimSpace(string(text[:n]))
	switch {
	case lines == "":
		return "; it wrote nothing to its standard error"
	case size > most:
		lines = "…" + lines
	}
	return "\n" + lines
}
