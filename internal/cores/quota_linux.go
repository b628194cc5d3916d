package cores

import (
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/threadcall/threadcall/internal/clock"
	"github.com/threadcall/threadcall/internal/shortage"
)

// The quota is how many cores' time the control groups grant the process. A goroutine reads it,
// never a thread that serves or waits: the file may be a FIFO or on a file system that hangs, and a
// function may have moved its thread to another mount namespace.
//
//	cores    is zero    until the files have been read once
//	reading  is set     by granted, which starts the goroutine
//	         is cleared by the goroutine, when it has read the files; one that hangs leaves it set.
//	                    Or by granted, if it is too early to read them again without descriptors
var quota struct {
	cores   atomic.Int32
	reading atomic.Bool
	groups  []group       // as retry, of who has set reading; nil until found
	retry   time.Duration // when to find them; a timer would need descriptors, too
}

// granted returns how many cores the quota granted when granted was last called, or zero if that is
// not known. The quota is read again meanwhile.
func granted() int {
	q := &quota
	if !q.reading.Load() && q.reading.CompareAndSwap(false, true) {
		if q.groups == nil && clock.Now() < q.retry {
			q.reading.Store(false)
		} else {
			go readQuota() //threadcall:alloc the files are read, a few times a second
		}
	}
	return int(q.cores.Load())
}

func readQuota() {
	q := &quota
	if q.groups == nil {
		if loadavg.Load() == 0 {
			openLoadavg()
		}
		var err error
		if q.groups, err = findGroups(""); err != nil {
			q.retry = clock.Now() + shortage.RetryAfter
		}
	}
	if q.groups != nil {
		q.cores.Store(int32(least(q.groups)))
	}
	q.reading.Store(false)
}

const noQuota = math.MaxInt32 // cores

// A group is a control group with a quota, or with files that may have one.
type group struct {
	files []string // the quota and its period: in one file in version 2, in two in version 1
	cores int      // that it grants, when the files were last read
}

// findGroups returns the control groups that the process is in and those around them, as far as
// they are visible, and not nil. Root is put before each name. An error is temporary.
func findGroups(root string) ([]group, error) {
	var err error
	text := func(name string) string {
		b, e := os.ReadFile(root + name)
		if shortage.Passes(e) {
			err = e
		}
		return string(b)
	}
	names, mounts := text("/proc/self/cgroup"), groupMounts(text("/proc/self/mountinfo"))
	if mounts == nil {
		mounts = []mount{{at: "/sys/fs/cgroup", v2: true}, {at: "/sys/fs/cgroup/cpu"},
			{at: "/sys/fs/cgroup/cpu,cpuacct"}}
	}
	groups := []group{}
	for _, m := range mounts {
		for p, ok := m.below(groupName(names, m.v2)); ok; p, ok = path.Dir(p), p != "/" {
			dir := root + path.Join(m.at, p) + "/cpu."
			g := group{files: []string{dir + "cfs_quota_us", dir + "cfs_period_us"}}
			if m.v2 {
				g.files = []string{dir + "max"}
			}
			if e := g.read(); e == nil {
				groups = append(groups, g)
			} else if shortage.Passes(e) {
				err = e
			}
		}
	}
	if err != nil {
		return nil, err
	}
	return groups, nil
}

// groupName returns the name of the process's own group, from what /proc/self/cgroup says: lines
// such as "0::/name" in version 2 and "4:cpu,cpuacct:/name" in version 1.
func groupName(text string, v2 bool) string {
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(f) == 3 && (v2 && f[1] == "" || !v2 && controls(f[1])) {
			return path.Clean("/" + f[2])
		}
	}
	return "/"
}

func controls(list string) bool { return slices.Contains(strings.Split(list, ","), "cpu") }

// A mount is where the control groups below root are directories.
type mount struct {
	at, root string
	v2       bool
}

// groupMounts returns those that may grant CPU time, from what /proc/self/mountinfo says: lines
// such as "31 23 0:28 /root /at rw,relatime shared:1 - cgroup cgroup rw,cpu,cpuacct".
func groupMounts(text string) (mounts []mount) {
	unescape := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
	for line := range strings.Lines(text) {
		before, after, _ := strings.Cut(line, " - ")
		where, what := strings.Fields(before), strings.Fields(after)
		if len(where) < 5 || len(what) < 3 {
			continue
		}
		v2 := what[0] == "cgroup2"
		if v2 || what[0] == "cgroup" && controls(what[2]) {
			mounts = append(mounts, mount{unescape.Replace(where[4]), unescape.Replace(where[3]), v2})
		}
	}
	return mounts
}

// below returns where the group with this name is, from m.at on. It is false if the group is not
// there. A root such as "/.." is outside the process's namespace of control groups, and around it.
func (m mount) below(name string) (dir string, ok bool) {
	if strings.Trim(m.root, "/.") == "" {
		m.root = ""
	}
	dir, ok = strings.CutPrefix(name, m.root)
	return path.Clean("/" + dir), ok && (dir == "" || dir[0] == '/')
}

// least returns how many cores all groups grant: one at least. A group whose files can no longer be
// read grants what it did.
func least(groups []group) int {
	n := noQuota
	for i := range groups {
		_ = groups[i].read()
		n = min(n, groups[i].cores)
	}
	return max(n, 1)
}

// read reads the quota and the period in microseconds, such as "50000 100000". The quota is "max",
// or -1 in version 1, where there is none.
func (g *group) read() error {
	var text []byte
	for _, name := range g.files {
		b, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		text = append(append(text, b...), ' ')
	}
	g.cores = noQuota
	if f := strings.Fields(string(text)); len(f) == 2 {
		quota, err := strconv.Atoi(f[0])
		period, _ := strconv.Atoi(f[1])
		if err == nil && quota >= 0 && period > 0 {
			g.cores = quota / period
		}
	}
	return nil
}
