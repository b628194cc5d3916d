//go:build !amd64

package cores

import "syscall"

const sysGetcpu = syscall.SYS_GETCPU
