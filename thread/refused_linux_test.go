package thread_test

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/threadcall/threadcall/thread"
)

func init() {
	programs["more threads than the system has"] = moreThreadsThanTheSystemHas
	programs["a bad address"] = badAddress
}

func moreThreadsThanTheSystemHas() {
	nobody := 1<<20 + os.Getpid() // who has no other threads; root has no limit
	if err := syscall.Setuid(nobody); err != nil {
		fmt.Println("cannot try:", err)
		os.Exit(0)
	}
	processes := 6 // RLIMIT_NPROC
	if strings.HasPrefix(runtime.GOARCH, "mips") {
		processes = 8
	}
	if err := syscall.Setrlimit(processes, &syscall.Rlimit{Cur: allowed, Max: allowed}); err != nil {
		panic(err)
	}
	makeThreads()
}

func TestRefused_system(t *testing.T) {
	if runtime.GOARCH == "riscv64" {
		t.Skip("on riscv64 the runtime does not look whether the system has made the thread, and waits for it for ever")
	}
	output, status := run(t, "more threads than the system has")
	if strings.Contains(output, "cannot try") {
		t.Skip(output)
	}
	refused := strings.Contains(output, "failed to create new OS thread") ||
		strings.Contains(output, "pthread_create failed") // with cgo
	if status != 2 || !strings.Contains(output, "made 1\n") || !refused {
		t.Errorf("status %d:\n%s", status, output)
	}
}

// badPage returns memory that must not be read.
func badPage() []byte {
	page, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_NONE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	return page
}

func TestBadAddress_panic(t *testing.T) {
	needsFaultAddresses(t)
	th, page := start(t), badPage()
	v := recovered(func() {
		th.Call(func() {
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // it belongs to the goroutine that serves
			page[0]++
		})
	})
	if fault, ok := v.(interface{ Addr() uintptr }); !ok || fault.Addr() == 0 {
		t.Errorf("recovered %v", v)
	}
	if !th.Call(nop) {
		t.Error("the thread did not live on")
	}
}

func badAddress() {
	page := badPage()
	thread.New().Call(func() { readBadAddress(page) })
}

func readBadAddress(page []byte) { fmt.Println(page[0]) }

func TestBadAddress(t *testing.T) {
	needsFaultAddresses(t)
	output, status := run(t, "a bad address")
	if status != 2 || !strings.Contains(output, "unexpected fault address") || !strings.Contains(output, "thread_test.readBadAddress(") {
		t.Errorf("status %d:\n%s", status, output)
	}
}
