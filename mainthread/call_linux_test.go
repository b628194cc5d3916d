package mainthread_test

import (
	"os"
	"syscall"
	"testing"

	"github.com/threadcall/threadcall/mainthread"
)

func TestTheMainThreadIsTheFirstOfTheProcess(t *testing.T) {
	if tid := mainthread.CallV(syscall.Gettid); tid != os.Getpid() {
		t.Errorf("functions run on thread %d of process %d", tid, os.Getpid())
	}
}
