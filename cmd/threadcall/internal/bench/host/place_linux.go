package host

import (
	"cmp"
	"slices"
	"strings"
)

// hypervisor names what this virtual machine runs on, or is empty on a real one, as far as can be told.
func (m Machine) hypervisor() string {
	if strings.Contains(strings.ToLower(m.text("proc/sys/kernel/osrelease")), "microsoft") {
		return "WSL"
	}
	known := []string{"QEMU", "KVM", "VMware", "VirtualBox", "innotek", "Xen", "Microsoft Corporation", "Amazon EC2",
		"Google Compute Engine", "OpenStack", "Parallels", "BHYVE", "Firecracker", "Apple Virtualization"}
	product := strings.TrimSpace(m.text("sys/class/dmi/id/sys_vendor") + " " + m.text("sys/class/dmi/id/product_name"))
	flagged := false
	for line := range strings.Lines(m.text("proc/cpuinfo")) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "flags" {
			flagged = slices.Contains(strings.Fields(value), "hypervisor")
			break
		}
	}
	// Real machines are made by Microsoft, and rented from Amazon, too; only theirs have no flag.
	isKnown := slices.ContainsFunc(known, func(k string) bool { return strings.Contains(product, k) })
	if isKnown && (flagged || !m.isX86()) {
		return product
	}
	if kind := m.text("sys/hypervisor/type"); kind != "" {
		return kind
	}
	if flagged {
		return cmp.Or(product, "of unknown kind")
	}
	return ""
}

func (m Machine) isX86() bool { return strings.Contains(m.text("proc/cpuinfo"), "vendor_id") }

// container names the container that this process is in, or is empty.
func (m Machine) container() string {
	switch {
	case m.exists(".dockerenv"):
		return "Docker"
	case m.exists("run/.containerenv"):
		return "Podman"
	case m.exists("proc/vz") && !m.exists("proc/bc"):
		return "OpenVZ"
	case m.exists("var/run/secrets/kubernetes.io"):
		return "Kubernetes"
	}
	if kind := m.text("run/systemd/container"); kind != "" {
		return kind
	}
	return ""
}

// virtual tells whether the machine is a real one.
func (v view) virtual() []Finding {
	var all []Finding
	if h := v.hypervisor(); h != "" {
		all = append(all, Finding{"virtual machine", h, "Other machines share the hardware, and what they do to " +
			"caches, memory and frequency cannot be seen from here. Figures of today and of yesterday do not " +
			"compare; what is measured in turns does.", Note})
	}
	if c := v.container(); c != "" {
		all = append(all, Finding{"container", c, "Processes outside of it are not seen by name, but what they use " +
			"is. The lock on benchmarks holds among those who see the same queue directory.", Note})
	}
	return all
}

// power tells whether a laptop runs on its battery.
func (v view) power() []Finding {
	const dir = "sys/class/power_supply"
	mains, online, discharging := false, false, false
	for _, name := range v.list(dir, "") {
		switch base := dir + "/" + name; v.text(base + "/type") {
		case "Mains", "USB", "Wireless":
			mains = true
			online = online || v.text(base+"/online") == "1"
		case "Battery":
			// A mouse has a battery, too.
			discharging = discharging || v.text(base+"/scope") != "Device" && v.text(base+"/status") == "Discharging"
		}
	}
	switch {
	case discharging:
		return one(Warning, "power", "battery", "Most laptops slow their processor down to save energy. Plug it in.")
	case mains && online:
		return one(Fine, "power", "mains", "")
	}
	return nil
}
