package threadvet

import (
	"go/types"
	"maps"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// identify returns the name of the thread that a value of type *thread.Thread, Loop, Pool or
// thread.Caller is, by all that it can be. It is empty for threads of their own that have no name,
// or not the same.
func (c *checker) identify(v ssa.Value) string {
	values, ok := c.origins(v, 0)
	names := map[string]bool{}
	for _, one := range values {
		this := unknownThread
		if from := c.held(one); from != nil {
			this = c.varMark(from)
		} else if call, _ := fromCall(one); call != nil {
			this = c.identifyNew(call)
		}
		names[this] = true
	}
	switch {
	case !ok || len(names) == 0 || len(names) > 1 && (names[unknownThread] || names[mainThread]):
		return unknownThread
	case len(names) > 1:
		return ""
	}
	return slices.Collect(maps.Keys(names))[0]
}

// identifyNew returns which thread a call returns.
func (c *checker) identifyNew(call *ssa.Call) (thread string) {
	name := c.called(&call.Call)
	made := makers.MatchString(name)
	switch {
	case name == mainPackage+".Thread", name == mainPackage+".Loop":
		return mainThread
	case name == threadPackage+".Loop.Thread":
		return c.identify(call.Call.Args[0])
	case !made && name != threadPackage+".Adopt" && name != threadPackage+".NewLoop":
		return unknownThread
	}
	for _, opt := range options(call) {
		if c.called(&opt.Call) == threadPackage+".WithName" {
			thread = textOf(opt.Call.Args[0])
		}
	}
	if one := c.marks.line(call.Pos()); one.verb == "on" && one.name != anyThread {
		thread = one.name
	}
	if thread == "" && !made {
		return unknownThread
	}
	return thread
}

// makers matches the functions of package thread that make threads.
var makers = regexp.MustCompile(ours + `thread\.(New|Start)(Pool)?$`)

// options returns the calls that make the last, variadic, arguments.
func options(call *ssa.Call) (list []*ssa.Call) {
	args := call.Call.Args
	last, _ := append([]ssa.Value{nil}, args...)[len(args)].(*ssa.Slice)
	if last == nil || last.X.Referrers() == nil {
		return nil
	}
	for _, instr := range *last.X.Referrers() {
		if at, ok := instr.(*ssa.IndexAddr); ok {
			values, _ := assigned(at)
			for _, v := range values {
				if opt, ok := strip(v).(*ssa.Call); ok {
					list = append(list, opt)
				}
			}
		}
	}
	return list
}

// varMark returns the thread that a variable or field is marked with.
func (c *checker) varMark(v *types.Var) string {
	name := c.marks.on[v]
	var f varFact
	if v.Pkg() != c.pass.Pkg && c.pass.ImportObjectFact(v, &f) {
		name = f.Thread
	}
	if name == anyThread {
		return ""
	}
	return name
}

// maker returns the call that makes a thread with an option, or nil.
func maker(opt ssa.CallInstruction) *ssa.Call {
	for call := range each[*ssa.Call](opt.Parent()) {
		if slices.Contains(options(call), opt.Value()) {
			return call
		}
	}
	return nil
}

// target returns what a call is given that stands for a thread: the thread, a pool or the like. Of
// Eval and EvalContext it is the first or second argument.
func target(common *ssa.CallCommon) ssa.Value {
	for _, v := range append(slices.Clone(common.Args), common.Value) {
		switch typeName(v.Type()) {
		case "Thread", "Loop", "Pool", "Threads", "Caller":
			return v
		}
	}
	return nil
}

// which returns what is the same for all calls to the same thread, and to threads that are prepared
// in the same way: those of a pool, or of package keyed, are what has made them.
func (c *checker) which(u use, instr ssa.CallInstruction) (which, owner any) {
	if u.Kind != onThread {
		return nil, nil
	}
	if call := maker(instr); call != nil {
		owner = call
	} else if strings.HasSuffix(c.called(instr.Common()), ".New") { // of package keyed
		owner = instr
	}
	if of := target(instr.Common()); of != nil {
		if values, _ := c.origins(of, 0); len(values) == 1 {
			owner = values[0]
			if call, _ := fromCall(values[0]); call != nil {
				owner = call
			}
		} else if v := read(strip(of)); v != nil {
			owner = v
		}
		if typeName(of.Type()) == "Thread" {
			which = owner
		}
	}
	if u.Thread != "" && u.Thread != unknownThread {
		which = u.Thread
	}
	return which, owner
}
