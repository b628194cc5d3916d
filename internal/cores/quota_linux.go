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
// they are visible below /sys/fs/cgroup, and not nil. In a container the name of a group may be the
// host's, and its directory the root of what is visible. Root is put before each name. An error is
// temporary.
func findGroups(root string) (groups []group, err error) {
	text, e := os.ReadFile(root + "/proc/self/cgroup")
	if shortage.Passes(e) {
		err = e
	}
	groups = []group{}
	for _, at := range [...]string{"", "/cpu", "/cpu,cpuacct"} {
		name, inner := groupName(string(text), at == ""), ""
		for ; name != inner; name, inner = path.Dir(name), name {
			dir := root + path.Join("/sys/fs/cgroup", at, name) + "/cpu."
			g := group{files: []string{dir + "max"}}
			if at != "" {
				g.files = []string{dir + "cfs_quota_us", dir + "cfs_period_us"}
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
		if len(f) == 3 && (v2 && f[1] == "" || !v2 && slices.Contains(strings.Split(f[1], ","), "cpu")) {
			return path.Clean("/" + f[2])
		}
	}
	return "/"
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
