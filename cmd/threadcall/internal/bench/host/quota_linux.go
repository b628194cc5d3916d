package host

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A cgroup is a directory that may limit the CPU time of this process.
type cgroup struct {
	dir string
	v2  bool
}

// cgroups returns those that this process is in, from its own up to the outermost that can be seen.
func (m Machine) cgroups() []cgroup {
	var all []cgroup
	for line := range strings.Lines(m.text("proc/self/cgroup")) {
		// The fields are the hierarchy, its controllers, which version 2 does not name, and the path.
		f := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(f) < 3 {
			continue
		}
		v2 := f[0] == "0" && f[1] == ""
		if !v2 && !slices.Contains(strings.Split(f[1], ","), "cpu") {
			continue
		}
		mounted, root := m.cgroupMount(v2)
		if mounted == "" {
			continue
		}
		inside, ok := strings.CutPrefix(path.Clean(f[2]), strings.TrimSuffix(root, "/"))
		if !ok {
			inside = "/" // the process is outside what is mounted here
		}
		for dir := path.Join("/", inside); ; dir = path.Dir(dir) {
			all = append(all, cgroup{strings.TrimPrefix(path.Join(mounted, dir), "/"), v2})
			if dir == "/" {
				break
			}
		}
	}
	return all
}

// cgroupMount returns where the hierarchy is mounted, and which of its groups is there.
func (m Machine) cgroupMount(v2 bool) (mounted, root string) {
	for line := range strings.Lines(m.text("proc/self/mountinfo")) {
		before, after, ok := strings.Cut(line, " - ")
		left, right := strings.Fields(before), strings.Fields(after)
		if !ok || len(left) < 5 || len(right) < 3 {
			continue
		}
		if v2 && right[0] == "cgroup2" ||
			!v2 && right[0] == "cgroup" && slices.Contains(strings.Split(right[2], ","), "cpu") {
			return left[4], left[3]
		}
	}
	return "", ""
}

// quota returns how many CPUs a group may use on average, if it says.
func (m Machine) quota(g cgroup) (cpus float64, limited bool) {
	var quota, period float64
	var err1, err2 error
	if g.v2 {
		f := strings.Fields(m.text(g.dir + "/cpu.max"))
		if len(f) != 2 || f[0] == "max" {
			return 0, false
		}
		quota, err1 = strconv.ParseFloat(f[0], 64)
		period, err2 = strconv.ParseFloat(f[1], 64)
	} else {
		quota, err1 = strconv.ParseFloat(m.text(g.dir+"/cpu.cfs_quota_us"), 64)
		period, err2 = strconv.ParseFloat(m.text(g.dir+"/cpu.cfs_period_us"), 64)
	}
	if err1 != nil || err2 != nil || quota <= 0 || period <= 0 {
		return 0, false
	}
	return quota / period, true
}

// throttled returns how long threads were stopped because their group had used its quota.
func (m Machine) throttled() (sum time.Duration) {
	for _, g := range m.cgroups() {
		stat := m.fields(g.dir + "/cpu.stat")
		if g.v2 {
			sum += time.Duration(stat["throttled_usec"]) * time.Microsecond
		} else {
			sum += time.Duration(stat["throttled_time"])
		}
	}
	return sum
}
