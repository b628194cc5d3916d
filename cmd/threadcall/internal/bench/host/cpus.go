package host

import (
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// CPUs is a set of them, by number, in ascending order. Nil is not a choice: any CPU.
type CPUs []int

// maxCPU is the largest number that ParseCPUs takes, and Linux knows.
const maxCPU = 8191

// ParseCPUs reads a list as taskset and Linux have it, such as "1" or "0,2-3".
func ParseCPUs(list string) (CPUs, error) {
	var set CPUs
	for part := range strings.SplitSeq(strings.TrimSpace(list), ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, err1 := strconv.ParseUint(first, 10, bits.UintSize-1)
		b, err2 := strconv.ParseUint(last, 10, bits.UintSize-1)
		switch {
		case err1 != nil || err2 != nil:
			return nil, fmt.Errorf("%q is not a list of CPUs such as 1 or 0,2-3", list)
		case a > b:
			return nil, fmt.Errorf("%q is not a list of CPUs: %d-%d has its ends exchanged", list, a, b)
		case b > maxCPU:
			return nil, fmt.Errorf("%q is not a list of CPUs: there is none with number %d", list, b)
		}
		for n := a; n <= b; n++ {
			set = append(set, int(n))
		}
	}
	slices.Sort(set)
	return slices.Compact(set), nil
}

// String returns the list that ParseCPUs reads.
func (s CPUs) String() string {
	var parts []string
	for i := 0; i < len(s); {
		j := i
		for j+1 < len(s) && s[j+1] == s[j]+1 {
			j++
		}
		part := strconv.Itoa(s[i])
		if j > i {
			part += "-" + strconv.Itoa(s[j])
		}
		parts, i = append(parts, part), j+1
	}
	return strings.Join(parts, ",")
}

// Has reports whether cpu is one of them.
func (s CPUs) Has(cpu int) bool {
	_, ok := slices.BinarySearch(s, cpu)
	return ok
}

// without returns those that are not in other.
func (s CPUs) without(other CPUs) CPUs {
	return slices.DeleteFunc(slices.Clone(s), other.Has)
}
