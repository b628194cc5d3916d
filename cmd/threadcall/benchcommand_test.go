package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
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
	page := filepath.Join(p.dir, "page.html")
	o := p.bench(t, "-count", "6", "-benchtime", "2x", "-json", "-html", page, "-fail-on",
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
	if text, err := os.ReadFile(page); err != nil ||
		!strings.Contains(string(text), "peak-RSS-bytes") {
		t.Errorf("page: %v", err)
	}
	p.bench(t, "-count", "2", "--", "./little 1", "./much 1 fails").want(t, statusUnmeasured,
		"exit status 4", "it fails")
	both := p.bench(t, r.Versions[0].File, r.Versions[1].File, "-json").want(t, statusOK).report(t)
	for _, unit := range []string{"sec/op", "user+sys-sec/op", "peak-RSS-bytes"} {
		a, b := delta(t, r.Comparison, unit, "Command"), delta(t, both.Comparison, unit, "Command")
		if a.Verdict != b.Verdict || a.Estimate != b.Estimate || a.P != b.P {
			t.Errorf("%s: the run says %+v, its files say %+v", unit, a, b)
		}
	}
}

func TestBenchCommands_refused(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-vs", "HEAD", "--", "true"}, "-vs is about Go benchmarks"},
		{[]string{"-fail-on", "+5%", "--", "true"}, "several commands"},
		{[]string{"--", "true", "-x"}, "each argument after -- is a whole command"},
		{[]string{"--"}, "the command after -- is missing"},
		{[]string{".", "--", "true"}, "exclude each other"},
	} {
		p.bench(t, c.args...).want(t, statusUsage, c.want)
	}
}
