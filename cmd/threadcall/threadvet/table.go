package threadvet

import (
	"go/constant"
	"go/types"
	"regexp"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A library is what the shipped tables say of the packages of one.
type library struct {
	path   *regexp.Regexp
	tests  bool                                     // a driver for tests calls on their goroutines
	main   func(f function) bool                    // must be called on the main thread
	use    func(f function, param int) use          // what it does with a parameter that is a function
	nested func(f function) bool                    // waits for ever in a function that it runs
	when   func(f function, c *ssa.CallCommon) bool // if not nil, main holds for these calls only
}

// A function is a function of a library by its names. Recv is the type that declares the method,
// without a pointer.
type function struct {
	recv, name string
	obj        *types.Func
}

func (f function) String() string {
	if f.recv == "" {
		return f.name
	}
	return f.recv + "." + f.name
}

var libraries = []*library{glfw, sdl, cocoa, dispatchQueue, macos, fyne, fyneParts, fyneTest,
	threadcallMain, threadcallThread, threadcallKeyed, faiface, pixelgl, golangDesign,
	golangDesignThread, hotkey, ebiten,
	std, netHTTP, errgroupLibrary}

// libraryOf returns the table for a package, or nil.
func libraryOf(path string) *library {
	if _, rest, ok := strings.Cut(path, "/vendor/"); ok {
		path = rest
	}
	for _, l := range libraries {
		if l.path.MatchString(path) {
			return l
		}
	}
	return nil
}

// known reports whether the tables say what must be known of the package, so that it is not itself
// analyzed. Packages of the standard library are not known in this sense: they make no package
// relevant.
func known(path string) bool {
	l := libraryOf(path)
	return l != nil && l != std && l != netHTTP && l != errgroupLibrary && l != ebiten
}

func names(list string) map[string]bool {
	m := map[string]bool{}
	for _, name := range strings.Fields(list) {
		m[name] = true
	}
	return m
}

func oneOf(set map[string]bool) func(function) bool {
	return func(f function) bool { return set[f.String()] }
}

// functionOf returns the names of a function or method.
func functionOf(obj *types.Func) function {
	f := function{name: obj.Name(), obj: obj}
	if recv := obj.Signature().Recv(); recv != nil {
		f.recv = typeName(recv.Type())
	}
	return f
}

func typeName(t types.Type) string {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// uses returns a use function for a list of uses of whole functions.
func uses(table map[string]use) func(function, int) use {
	return func(f function, _ int) use { return table[f.String()] }
}

// flag reports whether the first argument is a constant that has one of the bits, as sdl.Init must
// have for video.
func hasFlag(c *ssa.CallCommon, bits int64) bool {
	k, ok := c.Args[0].(*ssa.Const)
	if !ok || k.Value == nil {
		return false
	}
	v, ok := constant.Int64Val(constant.ToInt(k.Value))
	return ok && v&bits != 0
}
