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

func openQueue(make bool) (*queue, error) {
	return nil, fmt.Errorf("only one benchmark at a time: %w on %s, which has no file locks that end with their process",
		errors.ErrUnsupported, runtime.GOOS)
}

func (q *queue) remove(string) {}

func tryLock(*os.File, bool) (bool, error) { return false, errors.ErrUnsupported }

func owner(fs.FileInfo) string { return "" }

func userName() string { return "" }
