package thread_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

// A sandbox forbids system calls: the kernel answers them with an error. Whatever it answers, no
// call is lost and nothing hangs; docs/design.md lists what the engine asks for. Or it ends the
// process, as systemd's filters do: the engine changes no affinity mask.
func TestCall_isNotLostInASandbox(t *testing.T) {
	if numbers == nil {
		t.Skip("the numbers of system calls are not known here for this processor")
	}
	output, _ := testutil.Program(t, "sandbox none 0")
	if !strings.Contains(output, "all calls ran") {
		t.Fatalf("without a sandbox:\n%s", output)
	}
	for _, name := range []string{"sched_setaffinity", "sched_yield", "pipe2", "timerfd_create",
		"prctl"} {
		answers := []syscall.Errno{syscall.ENOSYS, syscall.EPERM}
		if name == "sched_setaffinity" {
			answers = []syscall.Errno{kills}
		}
		for _, errno := range answers {
			if testing.Short() && name != "sched_yield" && errno != kills {
				continue // a process takes half a second
			}
			output, status := testutil.Program(t, fmt.Sprintf("sandbox %s %d", name, errno))
			switch {
			case strings.Contains(output, "no sandbox"):
				t.Skip(output)
			case status != 0 || !strings.Contains(output, "all calls ran"):
				t.Errorf("%s answers %v: status %d\n%s", name, errno, status, output)
			}
		}
	}
}

func init() { onLinux["sandbox"] = inSandbox }

// inSandbox forbids a system call and then makes calls of all kinds.
func inSandbox(arguments []string) {
	errno, err := strconv.Atoi(arguments[1])
	if arguments[0] != "none" && err == nil {
		err = forbid(numbers[arguments[0]], syscall.Errno(errno))
	}
	if err != nil {
		fmt.Println("no sandbox:", err)
		return
	}
	if forbidden := syscall.Errno(errno); arguments[0] != "none" && forbidden != kills {
		if _, _, err := syscall.RawSyscall(uintptr(numbers[arguments[0]]), 0, 0, 0); err != forbidden {
			fmt.Println("it answers", err)
			os.Exit(1)
		}
	}
	th, p := thread.New(thread.WithName("sandboxed")), thread.NewPool(2)
	th.Every(time.Millisecond, nop)
	other := thread.New()
	for range 10 {
		time.Sleep(3 * time.Millisecond) // the threads park
		for range 200 {
			if !th.Call(nop) || !p.Call(nop) {
				fmt.Println("a call did not run")
				os.Exit(1)
			}
			th.Go(nop)
		}
		th.Call(func() { other.Call(func() { th.Call(nop) }) })
		ctx, cancel := context.WithTimeout(context.Background(), time.Millisecond)
		_ = th.CallContext(ctx, nop)
		cancel()
		runtime.GC()
	}
	fmt.Println("all calls ran")
}

// numbers are those of system calls that package syscall does not have everywhere.
var numbers = map[string]map[string]uint32{
	"amd64": {"seccomp": 317},
	"arm64": {"seccomp": 277},
}[runtime.GOARCH]

func init() {
	for name, number := range map[string]uint32{
		"pipe2":             syscall.SYS_PIPE2,
		"prctl":             syscall.SYS_PRCTL,
		"sched_setaffinity": syscall.SYS_SCHED_SETAFFINITY,
		"sched_yield":       syscall.SYS_SCHED_YIELD,
		"timerfd_create":    syscall.SYS_TIMERFD_CREATE,
	} {
		if numbers != nil {
			numbers[name] = number
		}
	}
}

// kills is an answer that ends the process.
const kills = syscall.Errno(0xffff)

// forbid has the kernel answer a system call with an error, in all threads of the process.
func forbid(number uint32, errno syscall.Errno) error {
	type instruction struct {
		code   uint16
		jt, jf uint8
		k      uint32
	}
	const (
		load, jumpIfEqual, ret = 0x20, 0x15, 0x06
		allow, fail, kill      = 0x7fff0000, 0x00050000, 0x80000000
		nr                     = 0 // in struct seccomp_data: the number
	)
	answer := fail | uint32(errno)
	if errno == kills {
		answer = kill
	}
	filter := []instruction{
		{load, 0, 0, nr}, {jumpIfEqual, 0, 1, number}, {ret, 0, 0, answer}, {ret, 0, 0, allow},
	}
	program := struct {
		length uint16
		first  *instruction
	}{uint16(len(filter)), &filter[0]}
	const setNoNewPrivs, setModeFilter, allThreads = 38, 1, 1
	if _, _, e := syscall.RawSyscall6(syscall.SYS_PRCTL, setNoNewPrivs, 1, 0, 0, 0, 0); e != 0 {
		return e
	}
	if _, _, e := syscall.RawSyscall(uintptr(numbers["seccomp"]), setModeFilter, allThreads,
		uintptr(unsafe.Pointer(&program))); e != 0 {
		return e
	}
	return nil
}
