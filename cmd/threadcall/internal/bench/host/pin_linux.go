package host

import (
	"fmt"
	"math/bits"
	"os/exec"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A cpuMask has a bit for each CPU, for machines with more of them than a unix.CPUSet has.
type cpuMask [(maxCPU + 1) / bits.UintSize]uint

// Available returns the CPUs on which this process may run. On systems that do not tell, the error wraps
// errors.ErrUnsupported.
func Available() (CPUs, error) {
	mask, err := affinity()
	if err != nil {
		return nil, err
	}
	var cpus CPUs
	for i, word := range mask {
		for ; word != 0; word &= word - 1 {
			cpus = append(cpus, i*bits.UintSize+bits.TrailingZeros(word))
		}
	}
	return cpus, nil
}

// startOn starts cmd from a thread that is on cpus: a new process inherits that from the thread that starts it.
func startOn(cmd *exec.Cmd, cpus CPUs) error {
	var mask cpuMask
	for _, cpu := range cpus {
		mask[cpu/bits.UintSize] |= 1 << (cpu % bits.UintSize)
	}
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // nor does the Go runtime start threads of its own from one that is locked
		old, err := affinity()
		if err == nil {
			err = setAffinity(mask)
		}
		if err != nil {
			runtime.UnlockOSThread()
			failed <- fmt.Errorf("pinning to CPU %v: %w", cpus, err)
			return
		}
		err = cmd.Start()
		if setAffinity(old) == nil {
			runtime.UnlockOSThread() // otherwise the thread ends with this goroutine
		}
		failed <- err
	}()
	return <-failed
}

func affinity() (mask cpuMask, err error) {
	_, _, errno := unix.RawSyscall(unix.SYS_SCHED_GETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	if errno != 0 {
		return mask, fmt.Errorf("sched_getaffinity: %w", errno)
	}
	return mask, nil
}

// setAffinity is for the calling thread.
func setAffinity(mask cpuMask) error {
	_, _, errno := unix.RawSyscall(unix.SYS_SCHED_SETAFFINITY, 0, unsafe.Sizeof(mask), uintptr(unsafe.Pointer(&mask)))
	if errno != 0 {
		return fmt.Errorf("sched_setaffinity: %w", errno)
	}
	return nil
}
