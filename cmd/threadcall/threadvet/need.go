package threadvet

import (
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// Needs that are not threads.
const (
	needUnlocked = "!unlock"   // calls runtime.UnlockOSThread
	needBlock    = "!block"    // waits for what may take long
	needInit     = "!init"     // waits for the main thread to be served
	needOutside  = "!outside:" // and a package: not in functions that the package runs
	needOff      = "!off:"     // and a thread: not there
	needAlone    = "!alone"    // continues on goroutines, in their namespaces
	needNet      = "!net"      // acts in the network namespace of its thread
	needFiles    = "!files"    // acts in the other namespaces of its thread, or is restricted with it
	needChild    = "!child"    // starts a child that may get a signal when its thread ends
)

// fieldNeeds returns what tables say of a store in a field of an object that the function has not
// made itself.
func (c *checker) fieldNeeds(store *ssa.Store) (list []need) {
	addr, ok := store.Addr.(*ssa.FieldAddr)
	v := variable(store.Addr)
	if !ok || v == nil || v.Pkg() == nil || v.Pkg() == c.pass.Pkg || fresh(addr.X) {
		return nil
	}
	f := function{recv: typeName(addr.X.Type()), name: v.Name()}
	for _, l := range libraries {
		for thread, fields := range l.Fields {
			if fields.match(f) && l.matches(v.Pkg().Path()) && c.holds(l, v.Pkg()) {
				list = append(list, l.need(thread, "the field "+v.Pkg().Name()+"."+f.String(), v.Pkg()))
			}
		}
	}
	return list
}

// fresh reports whether v is an object that its function makes, or is given as an argument.
func fresh(v ssa.Value) bool {
	switch x := v.(type) {
	case *ssa.Alloc:
		return true
	case *ssa.FieldAddr:
		return fresh(x.X)
	case *ssa.Parameter:
		return x.Parent().Signature.Recv() == nil || x.Parent().Params[0] != x
	case *ssa.Call:
		fn := x.Call.StaticCallee()
		return fn != nil && strings.HasPrefix(strings.ToLower(fn.Name()), "new")
	case *ssa.UnOp: // a variable of the function
		a, ok := x.X.(*ssa.Alloc)
		return ok && !slices.ContainsFunc(*a.Referrers(), func(instr ssa.Instruction) bool {
			store, ok := instr.(*ssa.Store)
			return ok && store.Addr == a && !fresh(store.Val)
		})
	}
	return false
}

// needsOf returns what a callee needs, if that is known without looking into it. The call may be
// nil.
func (c *checker) needsOf(to callee, common *ssa.CallCommon) []need {
	obj := to.obj
	switch {
	case to.node != nil:
		return marked(to.node.on, to.node.name, obj != nil)
	case to.held != nil:
		return marked(c.varMark(to.held), to.held.Name(), false)
	case to.bound != nil:
		return []need{{Thread: needInit, What: "the function that " + c.describe(to.bound) + " returns"}}
	case obj == nil || obj.Pkg() == nil:
		return nil
	case isFunc(obj, "runtime", "UnlockOSThread"):
		return []need{{Thread: needUnlocked, What: "runtime.UnlockOSThread"}}
	}
	if obj.Pkg() == c.pass.Pkg && packageOf(obj) != "C" { // the method of an interface
		return marked(c.markOf(obj), c.describe(obj), true)
	}
	fact := c.factOf(obj)
	if fact.On != "" {
		return marked(fact.On, c.describe(obj), false)
	}
	if list, ok := c.libraryNeeds(obj, common); ok {
		return slices.DeleteFunc(list, func(n need) bool {
			return n.Thread == needChild && !c.kills(common)
		})
	}
	return fact.Needs
}

// marked returns the need of something that is marked, or not.
func marked(on, what string, own bool) []need {
	if on == "" || on == anyThread {
		return nil
	}
	return []need{{Thread: on, What: what, own: own}}
}

// libraryNeeds returns what tables say that a function needs, and whether they say anything.
func (c *checker) libraryNeeds(obj *types.Func, common *ssa.CallCommon) (list []need, ok bool) {
	f := functionOf(obj)
	if c.moves(obj) {
		return []need{{Thread: lockedThread, What: c.describe(obj), Fix: noFix}}, true
	}
	for _, lib := range c.librariesOf(obj) {
		if waits[f.name] && (lib == threadcallMain || lib == threadcallThread && c.ofMain(common)) {
			return []need{{Thread: needInit, What: c.describe(obj)}}, true
		}
		if list, ok = lib.needs(f, c.describe(obj), common); ok {
			return list, true
		}
	}
	return nil, known(packageOf(obj))
}

// waits are the functions and methods whose functions the main thread does not run unless something
// serves it.
var waits = names("Call MustCall MustEval CallContext EvalContext Go TryGo GoContext")

// ofMain reports whether the first argument of a call is the Thread of the main thread.
func (c *checker) ofMain(common *ssa.CallCommon) bool {
	return common != nil && len(common.Args) > 0 && typeName(common.Args[0].Type()) == "Thread" &&
		c.identify(common.Args[0]).name == mainThread
}
