package measure

import (
	"fmt"
	"testing"
	"testing/fstest"
	"time"
)

// files are those of a machine by name.
type files map[string]string

// stat is the text of /proc/stat after so many ticks of work, and stolen ones, of each of four
// CPUs.
func stat(busy, stolen [4]int) string {
	text := "cpu  1 2 3 4 5 6 7 8 9 10\n"
	for cpu := range busy {
		// User and nice have those of guests in them; irq and softirq are work, iowait is none.
		text += fmt.Sprintf("cpu%d %d 100 100 5000 700 100 100 %d 50 60\n", cpu, 1000+busy[cpu],
			200+stolen[cpu])
	}
	return text + "intr 1 2 3\n"
}

// work is a machine that has been so busy.
func work(busy ...int) files { return files{"proc/stat": stat([4]int(busy), [4]int{})} }

// newSystem returns one with four CPUs, of which the files are others when its counters are read
// for the second time, a second later. It has used own of the time itself.
func newSystem(after files, own time.Duration) system {
	all := fstest.MapFS{}
	write := func(change files) {
		for name, text := range change {
			all[name] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	write(work(0, 0, 0, 0))
	write(files{"proc/self/cgroup": "1:x:/\n0::/user.slice/session\n"})
	reads := 0
	now := func() time.Time {
		if reads++; reads == 2 {
			write(after)
		}
		return time.Unix(int64(reads), 0)
	}
	used := func() time.Duration { return own * time.Duration(reads) }
	return system{all, func(int) bool { return true }, now, used}
}

func taken(s system) Taken {
	before := s.counters()
	return s.counters().since(before)
}

func TestTaken(t *testing.T) {
	const ms = time.Millisecond
	const none = "other processes used 0.0 of 4 CPUs"
	stolen := func(busy, stolen int) files {
		return files{"proc/stat": stat([4]int{busy}, [4]int{stolen})}
	}
	for _, c := range []struct {
		own   time.Duration
		after files
		want  Taken
		noisy bool
		text  string
	}{
		{0, nil, Taken{}, false, none},
		// more than the ticks show
		{950 * ms, work(90, 0, 0, 0), Taken{Own: 950 * ms}, false, none},
		{900 * ms, work(90, 50, 0, 0), Taken{Own: 900 * ms, Others: 500 * ms}, true,
			"other processes used 0.5 of 4 CPUs"},
		{900 * ms, work(90, 15, 0, 0), Taken{Own: 900 * ms, Others: 150 * ms}, false,
			"other processes used 0.1 of 4 CPUs"},
		{900 * ms, stolen(90, 10), Taken{Own: 900 * ms, Stolen: 100 * ms}, true,
			none + ", 10 % stolen"},
		{10 * ms, stolen(1, 1), Taken{Own: 10 * ms, Stolen: 10 * ms}, false,
			none + ", 50 % stolen"},
		{0, files{"sys/fs/cgroup/user.slice/cpu.stat": "nr_throttled 1\nthrottled_usec 30000\n"},
			Taken{Throttled: 30 * ms}, true, none + ", throttled for 30ms"},
		{0, work(-1000, -1000, -1000, -1000), Taken{}, false, none}, // counters that go back
	} {
		got := taken(newSystem(c.after, c.own))
		c.want.Known, c.want.CPUs, c.want.Wall = true, 4, time.Second
		if got != c.want || got.Noisy() != c.noisy || got.String() != c.text {
			t.Errorf("%v: %+v (%v), noisy %v", c.after, got, got, got.Noisy())
		}
	}
	s := newSystem(work(100, 100, 0, 3), 0)
	s.may = func(cpu int) bool { return cpu >= 2 }
	if got := taken(s); got.CPUs != 2 || got.Others != 30*ms {
		t.Errorf("two of the CPUs: %+v", got)
	}
	if got := thisSystem().counters(); got.cpus == 0 || got.own == 0 {
		t.Errorf("this system: %+v", got)
	}
}
