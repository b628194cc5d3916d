// Package source records execution traces.
package source

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// Record runs a command that records a trace: a program that imports package recorder, or its
// starter. File is absolute; stdout and stderr are for what the command writes, nil discards it. An
// error has the reason why there is no trace. A command that fails leaves a trace nevertheless, and
// failed says how. When ctx is done, what runs is interrupted, and the trace is that up to there.
func Record(ctx context.Context, command []string, file string, stdout, stderr io.Writer) (
	failed, err error) {
	// To know before anything has run whether it can be written.
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		return nil, fmt.Errorf("the trace cannot be kept: %w", err)
	}
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	// The runtime completes a part of the trace after each period, every second by default, which can
	// then be read even if the process is killed. Of two values it takes the later one, the user's.
	period := (200 * time.Millisecond).Nanoseconds()
	debug := fmt.Sprintf("GODEBUG=traceadvanceperiod=%d,%s", period, os.Getenv("GODEBUG"))
	cmd.Env = append(os.Environ(), "THREADCALL_TRACE="+file, strings.TrimSuffix(debug, ","))
	name := strings.Join(command, " ")
	if failed = gotest.Run(cmd); failed != nil {
		if cmd.Process == nil {
			return nil, failed
		}
		if ctx.Err() != nil {
			failed = fmt.Errorf("interrupted: %w", failed)
		}
		failed = fmt.Errorf("%s: %w", name, failed)
	}
	const header = 16 // of a trace
	if at, err := os.Stat(file); err != nil || at.Size() <= header {
		return nil, errors.Join(failed, fmt.Errorf(noTrace, name))
	}
	return failed, nil
}

const noTrace = `%s has left no trace. The last two of these lines must begin its main function,
and a program that ends by os.Exit or log.Fatal must call recorder.Stop before:
	import "github.com/threadcall/threadcall/recorder"
	recorder.Start()
	defer recorder.Stop()`
