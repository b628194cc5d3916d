// Package shortage tells errors that pass from others.
package shortage

import (
	"errors"
	"syscall"
	"time"
)

// RetryAfter is when to try again what has failed with an error that passes.
const RetryAfter = time.Second

// Passes reports whether err says that there are no descriptors, or no memory, at the moment.
func Passes(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE) ||
		errors.Is(err, syscall.ENOMEM)
}
