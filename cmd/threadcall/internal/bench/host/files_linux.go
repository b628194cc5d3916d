package host

import (
	"cmp"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"
)

// files returns what names are relative to: those of elements separated by slashes, without one at the beginning.
func (m Machine) files() fs.FS {
	if m.FS != nil {
		return m.FS
	}
	return os.DirFS("/")
}

// text returns what the file says, or "" if it does not.
func (m Machine) text(name string) string {
	b, err := fs.ReadFile(m.files(), name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// number returns the number in the file, if there is one.
func (m Machine) number(name string) (n int, ok bool) {
	n, err := strconv.Atoi(m.text(name))
	return n, err == nil
}

// fields returns the numbers of a file whose lines are a name and a number each.
func (m Machine) fields(name string) map[string]int {
	all := map[string]int{}
	for line := range strings.Lines(m.text(name)) {
		if f := strings.Fields(line); len(f) >= 2 {
			if n, err := strconv.Atoi(f[1]); err == nil {
				all[strings.TrimSuffix(f[0], ":")] = n
			}
		}
	}
	return all
}

// list returns the names in a directory that begin with prefix.
func (m Machine) list(dir, prefix string) []string {
	entries, err := fs.ReadDir(m.files(), dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), prefix) {
			names = append(names, e.Name())
		}
	}
	return names
}

func (m Machine) exists(name string) bool {
	_, err := fs.Stat(m.files(), name)
	return err == nil
}

// each returns what the file says for each CPU of ours.
func (m Machine) each(file string) map[int]string {
	all := map[int]string{}
	for _, cpu := range m.cpus() {
		if text := m.text("sys/devices/system/cpu/cpu" + strconv.Itoa(cpu) + "/" + file); text != "" {
			all[cpu] = text
		}
	}
	return all
}

// eachNumber is each for numbers.
func (m Machine) eachNumber(file string) map[int]int {
	all := map[int]int{}
	for cpu, text := range m.each(file) {
		if n, err := strconv.Atoi(text); err == nil {
			all[cpu] = n
		}
	}
	return all
}

// available returns the CPUs on which this process may run.
func (m Machine) available() CPUs {
	for line := range strings.Lines(m.text("proc/self/status")) {
		if list, ok := strings.CutPrefix(line, "Cpus_allowed_list:"); ok {
			if cpus, err := ParseCPUs(list); err == nil {
				return cpus
			}
		}
	}
	return nil
}

// cpus returns the CPUs on which benchmarks will run.
func (m Machine) cpus() CPUs {
	if m.Pin != nil {
		return m.Pin
	}
	return m.available()
}

// values returns the different ones, sorted.
func values[T cmp.Ordered](of map[int]T) []T {
	var all []T
	for _, v := range of {
		all = append(all, v)
	}
	slices.Sort(all)
	return slices.Compact(all)
}
