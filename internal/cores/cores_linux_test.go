package cores

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/threadcall/threadcall/internal/testutil"
)

// knownCores is Usable when the quota is known.
func knownCores(t testing.TB) (n int) {
	testutil.Eventually(t, func() bool { n = Usable(); return n != 0 }, "the quota is known")
	return n
}

// The files of control groups are read as containers and hosts have them.
func TestFindGroups(t *testing.T) {
	files1 := func(dir, quota, period string) string {
		return dir + "/cpu.cfs_quota_us " + quota + "\n" + dir + "/cpu.cfs_period_us " + period
	}
	const namesV1 = "2:cpuset:/b\n1:cpu,cpuacct:/a\n0::/\n"
	for what, c := range map[string]struct {
		names string
		files string // in /sys/fs/cgroup, a line with name and content each
		cores int
	}{
		"nothing is known":       {"", "", noQuota},
		"version 2, no quota":    {"0::/a\n", "a/cpu.max max 100000", noQuota},
		"a namespace of its own": {"0::/\n", "cpu.max 100000 100000", 1},
		"half a core":            {"0::/\n", "cpu.max 50000 100000", 1},
		"two and a half":         {"0::/\n", "cpu.max 250000 100000", 2},
		"its own group's":        {"0::/a/b\n", "cpu.max max 1\na/b/cpu.max 3 1", 3},
		"that of one around it":  {"0::/a/b\n", "a/cpu.max 2 1\na/b/cpu.max 3 1", 2},
		"that of the root":       {"0::/a/b\n", "cpu.max 2 1\na/b/cpu.max 3 1", 2},
		"out of its namespace":   {"0::/../b\n", "cpu.max 3 1", 3},
		"of other groups":        {"0::/a\n", "ab/cpu.max 1 1\nb/cpu.max 1 1", noQuota},
		"named by the host":      {"0::/docker/a\n", "cpu.max 2 1", 2},
		"not understood":         {"0::/\n", "cpu.max soon", noQuota},
		"without a period":       {"0::/\n", "cpu.max 100000 0", noQuota},
		"no /proc, version 2":    {"", "cpu.max 2 1", 2},
		"no /proc, version 1":    {"", files1("cpu", "5", "2"), 2},
		"version 1":              {namesV1, files1("cpu,cpuacct/a", "150", "100"), 1},
		"version 1, no quota":    {namesV1, files1("cpu,cpuacct/a", "-1", "100"), noQuota},
		"version 1, around it":   {namesV1, files1("cpu,cpuacct", "200", "100"), 2},
	} {
		root := t.TempDir()
		write := func(name, text string) {
			name = filepath.Join(root, name)
			err := os.MkdirAll(filepath.Dir(name), 0o700)
			if err == nil {
				err = os.WriteFile(name, []byte(text), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		write("proc/self/cgroup", c.names)
		for line := range strings.Lines(c.files) {
			name, text, _ := strings.Cut(line, " ")
			write("sys/fs/cgroup/"+name, text)
		}
		groups, err := findGroups(root)
		if n := least(groups); n != c.cores || err != nil {
			t.Errorf("%s: %d cores, want %d; %v", what, n, c.cores, err)
		}
		if os.RemoveAll(root); least(groups) != c.cores {
			t.Errorf("%s: the number of cores changes when the files are gone", what)
		}
	}
}

// A process that has a quota of one core has one core, however many it may run on.
func TestUsable_quota(t *testing.T) {
	if os.Getenv(testutil.Emulator) != "" || runtime.NumCPU() == 1 {
		t.Skip("under an emulator, or on one core")
	}
	t.Setenv(testutil.Emulator, "../../.ci/quota 100") // which starts the program
	switch output, status := testutil.Program(t, "cores"); {
	case strings.Contains(output, "NOT RUN"):
		t.Skip(output)
	case status != 0 || output != "1\n":
		t.Errorf("status %d, cores: %s", status, output)
	}
}

// A file that hangs keeps its own goroutine, and until it is read there is no core to spare.
func TestUsable_hangs(t *testing.T) {
	if output, status := testutil.Program(t, "hangs"); status != 0 || output != "1\n" {
		t.Errorf("status %d, cores: %s", status, output)
	}
}

// programs are what THREADCALL_PROGRAM may name: processes of their own.
var programs = map[string]func(){}

func TestMain(m *testing.M) {
	if program := programs[os.Getenv("THREADCALL_PROGRAM")]; program != nil {
		program()
		return
	}
	os.Exit(m.Run())
}

func init() {
	programs["cores"] = func() { fmt.Println(knownCores(fatal{})) }
	programs["hangs"] = func() {
		dir, err := os.MkdirTemp("", "")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		fifo := filepath.Join(dir, "cpu.max")
		if err := syscall.Mkfifo(fifo, 0o600); err != nil {
			panic(err)
		}
		quota.groups = []group{{files: []string{fifo}}}
		writer := -1
		testutil.Eventually(fatal{}, func() bool {
			if n := Usable(); n != 0 {
				panic(n)
			}
			writer, err = syscall.Open(fifo, syscall.O_WRONLY|syscall.O_NONBLOCK, 0)
			return err == nil
		}, "the file is read")
		if n := Usable(); n != 0 {
			panic(n)
		}
		_, _ = syscall.Write(writer, []byte("100 100"))
		syscall.Close(writer)
		fmt.Println(knownCores(fatal{}))
	}
}

// A fatal fails a program.
type fatal struct{ testing.TB }

func (fatal) Helper() {}

func (fatal) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func TestRunnable(t *testing.T) {
	knownCores(t)
	threads, cores, ok := Runnable()
	var fs syscall.Statfs_t // that of lxcfs, say, is not read
	read := syscall.Statfs("/proc/loadavg", &fs) == nil && fs.Type == procMagic
	if ok != read || ok && (threads < 1 || cores != runtime.NumCPU()) {
		t.Errorf("%d threads, %d cores, %v", threads, cores, ok)
	}
	if n := testing.AllocsPerRun(100, func() { Runnable() }); n != 0 {
		t.Errorf("Runnable allocates %v times", n)
	}
	for text, want := range map[string]int{
		"0.20 0.18 0.12 3/481 11206\n": 3, "70.20 0.18 0.12 164/4810 1\n": 164, "0 0 0 0/0 0": 0,
		"0.20 0.18 0.12": 0, "0.20 0.18 0.12 12": 0, "": 0,
	} {
		if n, ok := running([]byte(text)); ok != (want > 0) || ok && n != want {
			t.Errorf("%q: %d, %v", text, n, ok)
		}
	}
}
