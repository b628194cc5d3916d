// Package shortage tells temporary errors from others.
package shortage

import (
	"errors"
	"syscall"
	"time"
)

// RetryAfter is the time after which to try again after a temporary error.
const RetryAfter = time.Second

// Passes reports whether err is temporary: there are no descriptors, or no memory, at the moment.
func Passes(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOMEM)
}
