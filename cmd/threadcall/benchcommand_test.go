package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/judge"
)

// consumer is a program that uses as much memory as its argument says, in megabytes.
const consumer = `package main

import (
	"os"
	"strconv"
)

func main() {
	if len(os.Args) > 2 {
		os.Stderr.WriteString("it fails\n")
		os.Exit(4)
	}
	n, _ := strconv.Atoi(os.Args[1])
	for i := range memory[:n<<20] {
		memory[i] = byte(i)
	}
}

var memory [300 << 20]byte
`

// programs returns a place with the programs little and much, which are the same.
func programs(t *testing.T) place {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the peak memory of commands is not known there")
	}
	p := module(t, map[string]string{"main.go": consumer})
	for _, name := range []string{"little", "much"} {
		cmd := exec.Command("go", "build", "-o", filepath.Join(p.dir, name), ".")
		cmd.Dir, cmd.Env = p.dir, append(os.Environ(), "GOWORK=off")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	return p
}

func TestBenchCommands(t *testing.T) {
	t.Parallel()
	p := programs(t)
	o := p.bench(t, "-count", "6", "-benchtime", "2x", "-json", "-fail-on",
		"peak-RSS-bytes:+50%", "--", "./little 100", "./much 200")
	r := o.want(t, statusWrong, "-fail-on peak-RSS-bytes:+50%").report(t)
	d := delta(t, r.Comparison, "peak-RSS-bytes", "Command")
	if d.Verdict != judge.Worse || d.Estimate < 1.5 || d.Estimate > 2 || d.Method != judge.Pairs {
		t.Errorf("memory: %+v", d)
	}
	for _, unit := range []string{"sec/op", "user+sys-sec/op"} {
		if c := row(t, r.Comparison, unit, "Command").Cells; c[0].N != 6 || c[1].N != 6 ||
			c[0].Center <= 0 {
			t.Errorf("%s: %+v", unit, c)
		}
	}
	if r.Rounds != 6 || r.Versions[0].Name != "little" || r.Versions[1].What != "./much 200" ||
		r.Versions[1].Runs != 2 {
		t.Errorf("%d rounds, %+v", r.Rounds, r.Versions)
	}
	p.bench(t, "-count", "2", "--", "./little 1", "./much 1 fails").want(t, statusUnmeasured,
		"exit status 4", "it fails")
}
