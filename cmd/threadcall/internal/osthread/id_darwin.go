package osthread

import "golang.org/x/sys/unix"

// id asks the kernel as pthread_threadid_np does.
func id() uint64 {
	n, _, errno := unix.RawSyscall(unix.SYS_THREAD_SELFID, 0, 0, 0)
	if errno != 0 {
		return 0
	}
	return uint64(n)
}
