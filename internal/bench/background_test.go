package bench

import (
	"bufio"
	"io"
	"os"
	"runtime"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

const parent = "THREADCALL_TEST_PARENT"

func beParent() {
	if _, err := Background(runtime.NumCPU(), 0); err != nil {
		panic(err)
	}
	os.Stdout.WriteString("\n")
	select {}
}

func TestBackgroundEndsWithItsParent(t *testing.T) {
	needsProcesses(t)
	alive, w, err := os.Pipe() // has an end while one of them lives
	if err != nil {
		t.Fatal(err)
	}
	c, err := testutil.Command()
	if err != nil {
		t.Fatal(err)
	}
	c.Env = append(os.Environ(), parent+"=1")
	c.Stderr = w
	stdout, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	if _, err := bufio.NewReader(stdout).ReadByte(); err != nil {
		t.Fatal(err)
	}
	c.Process.Kill()
	c.Wait()
	ended := make(chan bool)
	go func() {
		io.Copy(io.Discard, alive)
		close(ended)
	}()
	testutil.Arrives(t, ended)
}
