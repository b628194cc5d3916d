package host

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A task is a process of the machine.
type task struct {
	pid, parent int
	start       int // ticks after the machine started; with it a number that is used again is another process
	name        string
	command     []string
	used        time.Duration // CPU time, of its ended children only what it waited for
}

func (t task) String() string {
	name := t.name
	if len(t.command) > 0 {
		name = t.command[0][strings.LastIndexByte(t.command[0], '/')+1:]
	}
	return fmt.Sprintf("%s (pid %d)", printable(name), t.pid)
}

// tasks returns the processes that this user can see, without this one and those that it has started.
func (m Machine) tasks() map[int]task {
	all, parents := map[int]task{}, map[int]int{}
	for _, name := range m.list("proc", "") {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		// The name is in brackets and may have brackets and blanks itself.
		stat := m.text("proc/" + name + "/stat")
		open, shut := strings.IndexByte(stat, '('), strings.LastIndexByte(stat, ')')
		if open < 0 || shut < open {
			continue // it has ended in between
		}
		f := strings.Fields(stat[shut+1:])
		if len(f) < 20 {
			continue
		}
		n := func(i int) int { v, _ := strconv.Atoi(f[i]); return v }
		all[pid] = task{pid: pid, parent: n(1), start: n(19), name: stat[open+1 : shut],
			used: time.Duration(n(11)+n(12)) * tick}
		parents[pid] = n(1)
	}
	self := cmp.Or(m.self, os.Getpid())
	maps.DeleteFunc(all, func(pid int, _ task) bool { return isOrComesFrom(pid, self, parents) })
	return all
}

func isOrComesFrom(pid, ancestor int, parents map[int]int) bool {
	for range len(parents) + 1 { // the numbers were not read at one moment, and could form a ring
		if pid == ancestor {
			return true
		}
		pid = parents[pid]
	}
	return false
}

// rivals returns the processes of others that run Go benchmarks.
func (m Machine) rivals() []task {
	var found []task
	for _, t := range m.tasks() {
		t.command = strings.Split(m.text(fmt.Sprintf("proc/%d/cmdline", t.pid)), "\x00")
		for i, arg := range t.command {
			name, value, joined := strings.Cut(strings.TrimLeft(arg, "-"), "=")
			if !joined && i+1 < len(t.command) {
				value = t.command[i+1]
			}
			if i > 0 && arg != name && name == "test.bench" && value != "" {
				found = append(found, t)
				break
			}
		}
	}
	slices.SortFunc(found, func(a, b task) int { return cmp.Compare(a.pid, b.pid) })
	return found
}

// busiest names up to three processes that used more than a twentieth of a CPU between two looks.
func busiest(before, after map[int]task, wall time.Duration) []string {
	type user struct {
		task
		cpus float64
	}
	var users []user
	for pid, t := range after {
		used := t.used
		if b := before[pid]; b.start == t.start {
			used -= b.used
		}
		if cpus := float64(used) / float64(wall); cpus > 0.05 {
			users = append(users, user{t, cpus})
		}
	}
	slices.SortFunc(users, func(a, b user) int {
		return cmp.Or(cmp.Compare(b.cpus, a.cpus), cmp.Compare(a.pid, b.pid))
	})
	var names []string
	for _, u := range users[:min(3, len(users))] {
		names = append(names, fmt.Sprintf("%v %.1f", u.task, u.cpus))
	}
	return names
}

func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r == '\ufffd' || 0x80 <= r && r < 0xa0 {
			return '?'
		}
		return r
	}, text)
}
