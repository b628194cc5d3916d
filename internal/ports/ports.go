package main

// A port is a system and a processor, and what runs its programs here.
type port struct {
	system, processor string
	on                machine
}

func (p port) String() string { return p.system + "/" + p.processor }

// ports has one for each file of assembly in internal/ident at least.
var ports = []port{
	{"linux", "386", native{}},
	{"linux", "arm64", qemu("aarch64")},
	{"linux", "arm", qemu("arm")},
	{"linux", "riscv64", qemu("riscv64")},
	{"linux", "loong64", qemu("loongarch64")},
	{"linux", "ppc64le", qemu("ppc64le")},
	{"linux", "ppc64", qemu("ppc64")},
	{"linux", "s390x", qemu("s390x")},
	{"linux", "mips64le", qemu("mips64el")},
	{"linux", "mips64", qemu("mips64")},
	{"linux", "mipsle", qemu("mipsel")},
	{"linux", "mips", qemu("mips")},
	{"js", "wasm", node{}},
	{"windows", "amd64", wine{}},
}

// A machine runs the programs of a port.
type machine interface {
	// prepare installs what is missing, if it may and, in a hurry, if that is quick.
	prepare(quick bool) (*command, error)
}

// A command is what go test -exec needs.
type command struct {
	name    string   // with its version
	program []string // nothing for what runs natively
	env     []string
	end     func() // may be nil
}
