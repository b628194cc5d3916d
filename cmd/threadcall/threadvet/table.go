package threadvet

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/types"
	"net"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/ssa"
)

// A library is what a table says of the packages of one. docs/vet.md describes the fields.
type library struct {
	Packages patterns // import paths

	On, Off, Calls, Posts, Fields map[string]patterns // by thread

	Any, Goes, InPlace, Nested, Namespace, Home, Pools, Blocks, Loops patterns

	By    string // what runs the functions, in reports
	Since string // path.Name, without which the table does not hold
	Tests bool   // a driver for tests calls on their goroutines
	Locks bool   // keeps the main goroutine on the main thread
	Plain bool   // is itself analyzed, and no reason to analyze what imports it
	Fix   string // what suggested fixes call, or noFix

	demands map[demand]patterns // On, and what is in lists of its own
}

// patterns match packages, or functions: Name, Type.Name, with * as in path.Match, Type+ for the
// methods and constructors of the types that embed Type, and Name:1 for the first parameter of one.
type patterns []string

// match reports whether a pattern matches the name of a function, or of a field, which is no obj.
func (p patterns) match(name string, obj *types.Func) bool {
	return slices.ContainsFunc(p, func(one string) bool {
		if base, ok := strings.CutSuffix(one, "+"); ok {
			return obj != nil && derives(obj, base)
		}
		ok, _ := path.Match(one, name)
		return ok
	})
}

// derives reports whether a function is a method or constructor of the type, or of one that embeds
// it.
func derives(obj *types.Func, base string) bool {
	if recv := obj.Signature().Recv(); recv != nil {
		return !strings.HasPrefix(nameOf(obj), "_") && embeds(recv.Type(), base)
	}
	results := obj.Signature().Results()
	return (strings.HasPrefix(obj.Name(), "New") || strings.Contains(nameOf(obj), "_")) &&
		results.Len() == 1 && embeds(results.At(0).Type(), base)
}

func embeds(t types.Type, base string) bool {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, base)
	v, ok := obj.(*types.Var)
	return typeName(t) == base || ok && v.Embedded()
}

//go:embed tables.json
var shipped []byte

var libraries = func() []*library {
	list, err := parseTables("tables.json", shipped)
	if err != nil {
		panic(err)
	}
	return list
}()

// parseTables parses a file of tables. The name is for errors.
func parseTables(name string, data []byte) ([]*library, error) {
	var file struct{ Tables []*library }
	strict := json.NewDecoder(bytes.NewReader(data))
	strict.DisallowUnknownFields()
	err := cmp.Or(json.Unmarshal(data, &file), strict.Decode(&file))
	at := 0
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		at = int(syntax.Offset)
	case errors.As(err, &kind):
		at, err = int(kind.Offset), fmt.Errorf("%s must not be a JSON %s", kind.Field, kind.Value)
	case err != nil: // an unknown field, which is quoted
		at = bytes.Index(data, quoted.Find([]byte(err.Error())))
	}
	for i := 0; err == nil && i < len(file.Tables); i++ {
		if l := file.Tables[i]; l == nil || len(l.Packages) == 0 {
			err = errors.New("a table must name its packages")
		} else if err = l.check(); err != nil {
			at, err = bytes.Index(data, []byte(`"`+l.Packages[0])), fmt.Errorf("%s: %w", l.Packages[0], err)
		}
	}
	if err != nil {
		line := 1 + bytes.Count(data[:max(at, 0)], []byte("\n"))
		return nil, fmt.Errorf("%s:%d: %s; docs/vet.md of threadcall has the form", name, line,
			strings.TrimPrefix(err.Error(), "json: "))
	}
	return file.Tables, nil
}

var quoted = regexp.MustCompile(`".*"`)

// check splits the lists at blanks. It returns an error if a pattern or the name of a thread is
// malformed.
func (l *library) check() (err error) {
	split := func(p patterns) patterns {
		p = strings.Fields(strings.Join(p, " "))
		for _, one := range p {
			if _, bad := path.Match(one, ""); bad != nil {
				err = fmt.Errorf("pattern %q: %w", one, bad)
			}
		}
		return p
	}
	for _, p := range []*patterns{&l.Packages, &l.Any, &l.Goes, &l.InPlace, &l.Nested, &l.Namespace,
		&l.Home, &l.Pools, &l.Blocks, &l.Loops} {
		*p = split(*p)
	}
	for _, threads := range []map[string]patterns{l.On, l.Off, l.Calls, l.Posts, l.Fields} {
		for thread, p := range threads {
			if thread == anyThread || thread != "" && len(strings.Fields(thread)) != 1 {
				return fmt.Errorf("%q is not the name of a thread", thread)
			}
			threads[thread] = split(p)
		}
	}
	if l.Fix != "" && l.Fix != noFix && !strings.Contains(path.Base(l.Fix), ".") {
		return errors.New("fix must be a function, package.Name, or -")
	}
	l.demands = map[demand]patterns{
		needBlock: l.Blocks, needOutside: l.Nested, lockedThread: l.Namespace}
	for thread, p := range l.Off {
		l.demands[needOff+demand(thread)] = p
	}
	for thread, p := range l.On {
		l.demands[demand(thread)] = append(l.demands[demand(thread)], p...)
	}
	return err
}

func (l *library) matches(pkg string) bool {
	if _, rest, ok := strings.Cut(pkg, "/vendor/"); ok {
		pkg = rest
	}
	return slices.ContainsFunc(l.Packages, func(one string) bool {
		if root, ok := strings.CutSuffix(one, "/..."); ok && (pkg == root ||
			strings.HasPrefix(pkg, root+"/")) {
			return true
		}
		ok, _ := path.Match(one, pkg)
		return ok
	})
}

// libraryOf returns the shipped table for a package, or nil.
func libraryOf(pkg string) *library {
	for _, l := range libraries {
		if l.matches(pkg) {
			return l
		}
	}
	return nil
}

// librariesOf returns the tables for a package, the user's first. The path is packageOf a function.
func (c *checker) librariesOf(path string, pkg *types.Package) []*library {
	list, ok := c.tabled[path]
	if ok || path == "" {
		return list
	}
	for _, l := range slices.Concat(c.tables, libraries) {
		if l.matches(path) && c.holds(l, pkg) {
			list = append(list, l)
		}
	}
	c.tabled[path] = list
	return list
}

// listed reports whether a list of a table has a function.
func (c *checker) listed(obj *types.Func, list func(*library) patterns) bool {
	return obj != nil && slices.ContainsFunc(c.librariesOf(packageOf(obj), obj.Pkg()),
		func(l *library) bool { return list(l).match(nameOf(obj), obj) })
}

// holds reports whether the package is of a release that the table is for: the fact of a package
// that is imported says if not. A package that others import may be loaded in part, without what
// the table asks for.
func (c *checker) holds(l *library, pkg *types.Package) bool {
	of, name := splitName(l.Since)
	for _, p := range slices.Concat(pkg.Imports(), []*types.Package{pkg}) {
		if p.Path() == of && p.Complete() {
			return p.Scope().Lookup(name) != nil
		}
	}
	return name == "" || c.fact.Lacks != l.Since
}

func splitName(text string) (pkg, name string) {
	if i := strings.LastIndexByte(text, '.'); i >= 0 {
		return text[:i], text[i+1:]
	}
	return text, ""
}

// known reports whether the shipped tables say what must be known of the package, so that it is not
// itself analyzed.
func known(pkg string) bool {
	l := libraryOf(pkg)
	return l != nil && !l.Plain
}

// useOf returns what a function of the library does with parameter i.
func (l *library) useOf(name string, obj *types.Func, i int) (u use) {
	of := func(p patterns) bool {
		return p.match(name, obj) || p.match(name+":"+strconv.Itoa(i+1), obj)
	}
	switch {
	case of(l.Goes):
		u.Kind = elsewhere
	case of(l.InPlace):
		u.Kind = inPlace
	default:
		for k, threads := range []map[string]patterns{l.Posts, l.Calls} {
			for thread, list := range threads {
				if of(list) {
					u = use{Kind: onThread, Thread: thread, Later: k == 0}
				}
			}
		}
	}
	if l.By == "" && obj != nil {
		return u.by(obj.Pkg().Name() + "." + name)
	}
	return u.by(l.By)
}

// need returns a need of something in a package of the library.
func (l *library) need(d demand, what string, pkg *types.Package) need {
	fix := l.Fix
	if rest, ok := strings.CutPrefix(fix, "*"); ok { // in the function's package
		fix = pkg.Path() + rest
	}
	return need{Demand: d, What: what, Library: !l.Locks, NoTests: l.Tests, Fix: fix}
}

// exempt reports whether a call need not meet a demand on what it calls, as far as is known: it
// gives Init of SDL no flag for video, sets the affinity of another thread, dials an address,
// starts a child that no signal ends, or is given a Thread that is not the main thread.
func (c *checker) exempt(d demand, obj *types.Func, call *ssa.CallCommon) bool {
	switch d {
	case needBlock:
		return !block
	case needInit:
		return packageOf(obj) == threadPackage && !c.ofMain(call)
	case needChild:
		return !c.kills(call)
	case needAlone:
		dials := strings.HasPrefix(obj.Name(), "Dial")
		host := dialed(call)
		return (dials || strings.HasPrefix(obj.Name(), "Resolve")) &&
			(host == "" || net.ParseIP(host) != nil || host == "localhost" && !dials)
	}
	initializes := obj.Pkg().Name() == "sdl" && (obj.Name() == "Init" || obj.Name() == "InitSubSystem")
	affinity := setsAffinity.FindStringSubmatch(nameOf(obj))
	if call == nil || !initializes && affinity == nil {
		return initializes
	}
	first := 0
	if affinity != nil && affinity[1] != "" { // after the number
		first = 1
	}
	k, ok := call.Args[first].(*ssa.Const)
	const video = 0x20 // the same in SDL 2 and 3
	return !ok || initializes && intOf(k)&video == 0 || !initializes && intOf(k) != 0
}

var setsAffinity = regexp.MustCompile(`(?i)^(\w*syscall\w*\()?sched_?setaffinity\)?$`)

// dialed returns the host of the address that is the last constant string which a call is given.
func dialed(c *ssa.CallCommon) (host string) {
	for i := 0; c != nil && i < len(c.Args); i++ {
		if text := textOf(c.Args[i]); text != "" {
			host, _, _ = net.SplitHostPort(text) // of networks there is none
		}
	}
	host, _, _ = strings.Cut(host, "%") // a zone
	return host
}

// nameOf returns the name of a function as tables have it: Name, or Type.Name for a method of the
// type that declares it.
func nameOf(obj *types.Func) string {
	name := cmp.Or(cgoName(obj.Name()), obj.Name())
	if recv := obj.Signature().Recv(); recv != nil && typeName(recv.Type()) != "" {
		name = typeName(recv.Type()) + "." + name
	}
	return name
}

// fullName returns the name of a function with its package, or "": "sync.WaitGroup.Wait".
func fullName(obj *types.Func) string {
	if path := packageOf(obj); path != "" {
		return path + "." + nameOf(obj)
	}
	return ""
}

// cgoName returns the name of the C function that a function made by cgo calls, or "".
func cgoName(name string) string {
	for _, prefix := range []string{"_Cfunc_", "_C2func_"} {
		if name, ok := strings.CutPrefix(name, prefix); ok {
			return name
		}
	}
	return ""
}

// packageOf returns the path of the function's package: "C" for functions called through cgo, and
// "" for those of no package.
func packageOf(obj *types.Func) string {
	switch {
	case obj == nil || obj.Pkg() == nil:
		return ""
	case cgoName(obj.Name()) != "":
		return "C"
	}
	return obj.Pkg().Path()
}

// namedType returns the type that t is, or points to, if it has a name, or nil.
func namedType(t types.Type) *types.Named {
	if p, ok := types.Unalias(t).(*types.Pointer); ok {
		t = p.Elem()
	}
	named, _ := types.Unalias(t).(*types.Named)
	return named
}

func typeName(t types.Type) string {
	if named := namedType(t); named != nil {
		return named.Obj().Name()
	}
	return ""
}

// tablesFile is the name of the file of tables at the root of a module.
const tablesFile = "threadvet.json"

// readTables returns the tables of the module that the directory is in, if it has some, and what is
// to be known of their file as a key.
func readTables(dir string) (list []*library, key []byte, err error) {
	mod := upward(dir, "go.mod")
	name := filepath.Join(filepath.Dir(mod), tablesFile)
	data, err := os.ReadFile(name) // pass.ReadFile reads Go files only
	if mod == "" || errors.Is(err, os.ErrNotExist) {
		return nil, nil, nil
	}
	if err == nil {
		list, err = parseTables(name, data)
	}
	return list, fmt.Appendf(nil, "%q %q\n", name, data), err
}

// upward returns the file of that name in the directory or the nearest one above, or "".
func upward(dir, base string) string {
	for {
		name := filepath.Join(dir, base)
		if _, err := os.Stat(name); err == nil {
			return name
		}
		if dir == filepath.Dir(dir) {
			return ""
		}
		dir = filepath.Dir(dir)
	}
}

// Tables returns the tables that the analysis of packages depends on if a go command runs it in the
// directory: those in the threadvet.json of the module, and of the modules that its go.mod or
// go.work name by their directories. It is for keys of caches. The error is for a malformed file.
func Tables(dir string) (all []byte, err error) {
	dir, err = filepath.Abs(dir)
	dirs := []string{dir}
	for i := 0; err == nil && i < len(dirs); i++ {
		var key []byte
		_, key, err = readTables(dirs[i])
		all = append(all, key...)
		work := cmp.Or(os.Getenv("GOWORK"), upward(dirs[i], "go.work"))
		for _, dir := range slices.Concat(named(work), named(upward(dirs[i], "go.mod"))) {
			if !slices.Contains(dirs, dir) {
				dirs = append(dirs, dir)
			}
		}
	}
	return all, err
}

// named returns the directories that a go.mod or go.work file names, if there is such a file.
func named(file string) (dirs []string) {
	data, _ := os.ReadFile(file)
	for line := range strings.Lines(string(data)) {
		line, _, _ = strings.Cut(line, "//")
		for _, word := range strings.Fields(line) {
			if word = strings.Trim(word, "\"`"); strings.HasPrefix(word, ".") {
				word = filepath.Join(filepath.Dir(file), word)
			}
			if filepath.IsAbs(word) {
				dirs = append(dirs, filepath.Clean(word))
			}
		}
	}
	return dirs
}
