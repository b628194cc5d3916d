// Package gocmd runs the go command and reads what it tells of packages.
package gocmd

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// Output runs cmd, which is the go command, and returns what it prints on its standard output. What it complains about
// is in the error. If ctx is done, which is what cmd was made with, the error is that of ctx.
func Output(ctx context.Context, cmd *exec.Cmd) ([]byte, error) {
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return nil, errors.New("the go command is needed, and not in PATH")
	case errors.As(err, new(*exec.ExitError)):
		complaint := bytes.TrimSpace(stderr.Bytes())
		if len(complaint) == 0 {
			complaint = bytes.TrimSpace(out)
		}
		return nil, fmt.Errorf("go %s: %w\n%s", cmd.Args[1], err, complaint)
	}
	return nil, err
}

// Packages returns what go list -json has printed, each package as a P.
func Packages[P any](list []byte) (packages []P, err error) {
	for dec := json.NewDecoder(bytes.NewReader(list)); ; {
		var p P
		switch err := dec.Decode(&p); {
		case errors.Is(err, io.EOF):
			return packages, nil
		case err != nil:
			return nil, fmt.Errorf("go list: %w", err)
		}
		packages = append(packages, p)
	}
}
