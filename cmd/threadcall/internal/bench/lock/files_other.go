//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly && !windows

package lock

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
)

const (
	openFlags        = 0
	removesOpenFiles = true
)

func commonDir() (string, error) {
	return "", fmt.Errorf("only one benchmark at a time: %w on %s, which has no file locks that end with their process",
		errors.ErrUnsupported, runtime.GOOS)
}

func trusted(string, *os.Root) error { return nil }

func (q *queue) remove(string) {}

func tryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }

func owner(fs.FileInfo) string { return "" }

func userName() string { return "" }
