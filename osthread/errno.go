//go:build darwin || freebsd || linux || netbsd

package osthread

import "syscall"

func failed(errno syscall.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}
