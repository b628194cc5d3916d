package cpufreq

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// root is where sys and run are.
func root() string { return cmp.Or(os.Getenv(RootVariable), "/") }

// A policy is a group of CPUs with one frequency, by the name of its directory.
type policy string

// Limits are the frequencies between which a policy may choose, in kHz.
type limits struct{ Min, Max int }

func (l limits) String() string { return fmt.Sprintf("%s to %s", hertz(l.Min), hertz(l.Max)) }

func hertz(kilohertz int) string { return fmt.Sprintf("%.2f GHz", float64(kilohertz)/1e6) }

func policiesDir() string { return filepath.Join(root(), "sys/devices/system/cpu/cpufreq") }

// policies returns those whose frequency can be set.
func policies() ([]policy, error) {
	entries, err := os.ReadDir(policiesDir())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var all []policy
	for _, e := range entries {
		p := policy(e.Name())
		if !p.valid() {
			continue
		}
		if _, err := os.Stat(p.file("scaling_max_freq")); err == nil {
			all = append(all, p)
		}
	}
	if all == nil {
		return nil, ErrNone
	}
	return all, nil
}

// valid keeps names that are not those of policies out of paths.
func (p policy) valid() bool {
	digits, ok := strings.CutPrefix(string(p), "policy")
	_, err := strconv.ParseUint(digits, 10, 31)
	return ok && err == nil
}

func (p policy) file(name string) string { return filepath.Join(policiesDir(), string(p), name) }

// read returns the number in a file of the policy's.
func (p policy) read(name string) (int, error) {
	b, err := os.ReadFile(p.file(name))
	if err != nil {
		return 0, err
	}
	// Only the first line is the kernel's, where a plain file stands for the kernel.
	line, _, _ := strings.Cut(string(b), "\n")
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return 0, fmt.Errorf("%s: %w", p.file(name), err)
	}
	return n, nil
}

// afterWrite is called after the kernel has been told, by tests that stand for the kernel.
var afterWrite = func(path string) {}

func (p policy) write(name string, value int) error {
	f, err := p.openToWrite(name)
	if err != nil {
		return err
	}
	_, err = f.WriteString(strconv.Itoa(value) + "\n")
	if err := cmp.Or(err, f.Close()); err != nil {
		return fmt.Errorf("setting the CPU frequency: %w", err)
	}
	afterWrite(f.Name())
	return nil
}

// openToWrite says it so that the user knows what to do if it is not allowed.
func (p policy) openToWrite(name string) (*os.File, error) {
	f, err := os.OpenFile(p.file(name), os.O_WRONLY, 0)
	switch {
	case errors.Is(err, os.ErrPermission):
		err = fmt.Errorf("setting the CPU frequency needs root, as with sudo: %w", err)
	case errors.Is(err, syscall.EROFS):
		err = fmt.Errorf("setting the CPU frequency is not possible where /sys can only be read, as in most containers: %w", err)
	case err != nil:
		err = fmt.Errorf("setting the CPU frequency: %w", err)
	}
	return f, err
}

func (p policy) between(low, high string) (limits, error) {
	a, err := p.read(low)
	if err != nil {
		return limits{}, err
	}
	b, err := p.read(high)
	return limits{a, b}, err
}

// current returns the limits that are in force.
func (p policy) current() (limits, error) { return p.between("scaling_min_freq", "scaling_max_freq") }

// hardware returns what the CPUs can do.
func (p policy) hardware() (limits, error) { return p.between("cpuinfo_min_freq", "cpuinfo_max_freq") }

// target returns the frequency at percent hundredths of the range, in kHz.
func (p policy) target(percent int) (int, error) {
	can, err := p.hardware()
	if err != nil {
		return 0, err
	}
	target := can.Min + int(int64(can.Max-can.Min)*int64(percent)/100)
	text, err := os.ReadFile(p.file("scaling_available_frequencies"))
	if err != nil {
		return target, nil // any can be set
	}
	var steps []int
	for _, field := range strings.Fields(string(text)) {
		if n, err := strconv.Atoi(field); err == nil {
			steps = append(steps, n)
		}
	}
	if len(steps) > 0 {
		target = slices.MinFunc(steps, func(a, b int) int {
			return cmp.Or(cmp.Compare(abs(a-target), abs(b-target)), cmp.Compare(a, b))
		})
	}
	return target, nil
}

func abs(n int) int { return max(n, -n) }

// set sets the limits. The kernel may refuse a lower limit that is above the upper one, even for a moment.
func (p policy) set(to limits) error {
	now, err := p.current()
	if err != nil {
		return err
	}
	first := func() error { return p.write("scaling_max_freq", to.Max) }
	second := func() error { return p.write("scaling_min_freq", to.Min) }
	if to.Max < now.Min {
		first, second = second, first
	}
	return cmp.Or(first(), second())
}

// putBack sets the limits to those of old that are still as they were made by us, ours. It returns a note if it leaves one
// as it is. If ours is not settled, nobody has looked yet what the kernel made of it, and any other value may be ours.
func (p policy) putBack(old, ours limits, settled bool) (note string, err error) {
	now, err := p.current()
	if err != nil {
		return "", fmt.Errorf("putting the CPU frequency back: %w", err)
	}
	minIsOurs := !settled || now.Min == ours.Min
	maxIsOurs := !settled || now.Max == ours.Max
	if settled && now.Max < ours.Max && now.Max < old.Max {
		narrowed, err := p.narrowed(old)
		if err != nil {
			return "", err
		}
		maxIsOurs = maxIsOurs || narrowed
		minIsOurs = minIsOurs || narrowed && now.Min == now.Max // pressed down by it
	}
	to := now
	if maxIsOurs {
		to.Max = old.Max
	}
	if minIsOurs {
		to.Min = old.Min
	}
	to.Min = min(to.Min, to.Max)
	if err := p.set(to); err != nil {
		return "", fmt.Errorf("putting the CPU frequency back to %v: %w", old, err)
	}
	got, err := p.current()
	if err != nil {
		return "", err
	}
	switch {
	case got == old:
		return "", nil
	case !maxIsOurs || !minIsOurs:
		return fmt.Sprintf("The frequency of %s was set to %v by another program during the run, and stays so; it was %v before.",
			p, got, old), nil
	case got.Max < old.Max:
		return fmt.Sprintf("The frequency of %s is put back to %v, of which the kernel now allows only %v, because of heat for example.",
			p, old, got), nil
	}
	return "", fmt.Errorf("putting the CPU frequency of %s back to %v: it is now %v", p, old, got)
}

// narrowed reports whether the kernel, and not a program, has lowered the upper limit, because of heat for example: then
// the file shows what is in force and not what was asked for, and setting it to more changes what is asked for, but does
// not show. If it was a program, the limit must be set again.
func (p policy) narrowed(old limits) (bool, error) {
	if err := p.write("scaling_max_freq", old.Max); err != nil {
		return false, err
	}
	got, err := p.read("scaling_max_freq")
	return got < old.Max, err
}
