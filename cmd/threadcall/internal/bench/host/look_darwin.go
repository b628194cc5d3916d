package host

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

// look asks the few things that sysctl tells. Load, power, heat and frequency are not among them.
func (m Machine) look(context.Context) []Finding {
	var all []Finding
	add := func(level Level, name, value, meaning string) {
		all = append(all, Finding{name, value, meaning, level})
	}
	if n, err := unix.SysctlUint32("hw.logicalcpu"); err == nil {
		add(Fine, "CPUs", fmt.Sprint(n), "")
		if cores, err := unix.SysctlUint32("hw.physicalcpu"); err == nil && cores < n {
			add(Note, "SMT", "on", "Two threads on the CPUs of one core slow each other down, so a figure depends "+
				"on where the scheduler puts them.")
		}
	}
	if kinds, err := unix.SysctlUint32("hw.nperflevels"); err == nil && kinds > 1 {
		add(Note, "cores", fmt.Sprintf("of %d kinds", kinds), "They are not equally fast, and the scheduler "+
			"chooses. It has no way to pin threads; a run in the foreground, on a machine that has nothing else to "+
			"do, gets the fast ones.")
	}
	if vm, err := unix.SysctlUint32("kern.hv_vmm_present"); err == nil && vm == 1 {
		add(Note, "virtual machine", "yes", "Other machines share the hardware. Figures of today and of yesterday "+
			"do not compare; what is measured in turns does.")
	}
	add(Note, "not looked at", "other processes, battery, heat, frequency", "On macOS nothing is known here about "+
		"them. See that nothing else runs, and that the machine is plugged in and cool.")
	return all
}
