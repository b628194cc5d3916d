package recorder_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/record"
	"github.com/threadcall/threadcall/recorder"
)

const allocsVariable = "THREADCALL_ALLOCS"

var allocated [][]byte

// allocates makes 1,000 slices that cannot be on the stack.
func allocates() {
	defer recorder.Start()()
	fmt.Printf("%q", os.Getenv(allocsVariable))
	for range 1000 {
		allocated = append(allocated, make([]byte, 2048))
	}
	recorder.Stop() // and once more when it returns
}

func runAllocates(t *testing.T, file string) (stdout, stderr string) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "THREADCALL_PROGRAM=allocates", allocsVariable+"="+file)
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, complaints.Bytes())
	}
	return out.String(), complaints.String()
}

func TestEveryAllocationIsInTheProfile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "allocs")
	if stdout, stderr := runAllocates(t, file); stdout != `""` || stderr != "" {
		t.Errorf("prints %s and %q", stdout, stderr)
	}
	p, err := record.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := int64(0)
	for _, r := range p.Records {
		for _, at := range r.Stack {
			if strings.HasSuffix(p.Frames[at].Function, ".allocates") && r.Bytes == 2048*r.Objects {
				n += r.Objects
			}
		}
	}
	if n < 1000 || n > 1010 { // the list of them has that size, too, when it grows
		t.Errorf("%d slices", n)
	}
}

func TestAProgramWithoutItsProfileRunsOn(t *testing.T) {
	for file, complaint := range map[string]string{"": "", filepath.Join(t.TempDir(), "no", "allocs"): "no profile of allocations"} {
		stdout, stderr := runAllocates(t, file)
		if stdout != `""` || !strings.Contains(stderr, complaint) || strings.Contains(stderr, allocsVariable) != (file != "") {
			t.Errorf("%q: prints %s and %q", file, stdout, stderr)
		}
	}
}
