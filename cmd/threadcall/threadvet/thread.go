package threadvet

import (
	"go/types"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// identity is which thread a value is. It is not main if made, and has a name if it is known.
type identity struct {
	name string
	made bool
}

// identify returns which thread a value of type *thread.Thread, Loop, Pool or thread.Caller is: the
// same for all that it can be.
func (c *checker) identify(v ssa.Value) (all identity) {
	values, ok := c.origins(v, 0)
	if !ok {
		return identity{}
	}
	for _, one := range values {
		var id identity
		if tuple, ok := one.(*ssa.Extract); ok {
			one = tuple.Tuple
		}
		if from := c.held(one); from != nil {
			name := c.varMark(from)
			id = identity{name: name, made: name != mainThread}
		} else if call, ok := one.(*ssa.Call); ok {
			id = c.identifyNew(call)
		}
		switch {
		case id == identity{}:
			return id
		case all == identity{}:
			all = id
		case all.name != id.name && all.made && id.made:
			all.name = ""
		case all != id:
			return identity{}
		}
	}
	return all
}

// identifyNew returns which thread a call returns.
func (c *checker) identifyNew(call *ssa.Call) identity {
	name := c.called(&call.Call)
	id := identity{made: makers.MatchString(name)}
	switch {
	case name == mainPackage+".Thread", name == mainPackage+".Loop":
		return identity{name: mainThread}
	case name == threadPackage+".Loop.Thread":
		return c.identify(call.Call.Args[0])
	case !id.made && name != threadPackage+".Adopt" && name != threadPackage+".NewLoop":
		return identity{}
	}
	if one := c.marks.line(call.Pos()); one.verb == "on" && one.name != anyThread {
		id.name = one.name
		return id
	}
	for _, opt := range options(call) {
		if c.called(&opt.Call) == threadPackage+".WithName" {
			id.name = textOf(opt.Call.Args[0])
		}
	}
	return id
}

// makers matches the functions of package thread that make threads.
var makers = regexp.MustCompile(`^` + regexp.QuoteMeta(threadPackage) + `\.(New|Start)(Pool)?$`)

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
