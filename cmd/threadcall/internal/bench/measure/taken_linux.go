package measure

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// A system is where counters come from. Tests have one of their own.
type system struct {
	files fs.FS // with proc and sys
	may   func(cpu int) bool
	now   func() time.Time
	// CPU time of this process and of the children that it has waited for
	used func() time.Duration
}

func thisSystem() system {
	var mask unix.CPUSet
	err := unix.SchedGetaffinity(0, &mask)
	// it fails with more CPUs than a mask has
	may := func(cpu int) bool { return err != nil || mask.IsSet(cpu) }
	return system{os.DirFS("/"), may, time.Now, usedTime}
}

func usedTime() (sum time.Duration) {
	for _, of := range []int{unix.RUSAGE_SELF, unix.RUSAGE_CHILDREN} {
		var u unix.Rusage
		if unix.Getrusage(of, &u) == nil {
			sum += time.Duration(u.Utime.Nano() + u.Stime.Nano())
		}
	}
	return sum
}

// tick is the unit of /proc/stat.
const tick = 10 * time.Millisecond

// counters takes less than a millisecond on a machine with few CPUs.
func (s system) counters() counters {
	c := counters{at: s.now(), own: s.used()}
	for line := range strings.Lines(s.text("proc/stat")) {
		// The fields are the name, then user nice system idle iowait irq softirq steal; those of
		// guests are in user and nice.
		f := strings.Fields(line)
		if len(f) < 9 {
			continue
		}
		number, ok := strings.CutPrefix(f[0], "cpu")
		if cpu, err := strconv.Atoi(number); !ok || err != nil || !s.may(cpu) {
			continue
		}
		c.cpus++
		for i, text := range f[1:9] {
			n, _ := strconv.ParseInt(text, 10, 64)
			switch spent := time.Duration(n) * tick; i {
			case 3, 4:
			case 7:
				c.stolen += spent
			default:
				c.busy += spent
			}
		}
	}
	_, own, _ := strings.Cut("\n"+s.text("proc/self/cgroup"), "\n0::") // of version 2
	own, _, _ = strings.Cut(own, "\n")
	for group := path.Join("/", own); ; group = path.Dir(group) { // to the outermost
		_, text, _ := strings.Cut(s.text(path.Join("sys/fs/cgroup", group, "cpu.stat")),
			"throttled_usec ")
		text, _, _ = strings.Cut(text, "\n")
		n, _ := strconv.ParseInt(text, 10, 64)
		c.throttled += time.Duration(n) * time.Microsecond
		if group == "/" {
			return c
		}
	}
}

// text returns the content of the file without space around it, or "" if it cannot be read.
func (s system) text(name string) string {
	b, err := fs.ReadFile(s.files, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}
