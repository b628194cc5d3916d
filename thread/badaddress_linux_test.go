package thread_test

import (
	"fmt"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
	"github.com/threadcall/threadcall/thread"
)

func init() {
	programs["a bad address"] = func() {
		page := badPage()
		thread.New().Call(func() { readBadAddress(page) })
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

func readBadAddress(page []byte) { fmt.Println(page[0]) }

func TestBadAddress(t *testing.T) {
	if withoutFaultAddresses {
		t.Skip("the emulator does not report the address of a fault")
	}
	t.Run("ends the process", func(t *testing.T) {
		output, status := testutil.Program(t, "a bad address")
		if status != 2 || !strings.Contains(output, "unexpected fault address") || !strings.Contains(output, "thread_test.readBadAddress(") {
			t.Errorf("status %d:\n%s", status, output)
		}
	})
	t.Run("SetPanicOnFault", func(t *testing.T) {
		th, page := start(t), badPage()
		v := recovered(func() {
			th.Call(func() {
				defer debug.SetPanicOnFault(debug.SetPanicOnFault(true)) // it belongs to the goroutine that serves
				readBadAddress(page)
			})
		})
		if fault, ok := v.(interface{ Addr() uintptr }); !ok || fault.Addr() == 0 {
			t.Errorf("recovered %v", v)
		}
		if !th.Call(nop) {
			t.Error("the thread has ended")
		}
	})
}
