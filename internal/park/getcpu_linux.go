//go:build !amd64

package park

import "syscall"

const sysGetcpu = syscall.SYS_GETCPU
