package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/rig/patch"
)

// A mutation is one change at a random place: a statement left out, a condition negated, && for ||
// or the reverse. Declarations stay, and what does not compile does not count.
type mutation struct {
	file, function, what string
	line                 int
	text                 string // of the whole file
}

var (
	randomly = flag.Int("random", 0, "make this many random mistakes, and the checks of their "+
		"package and of those that use it")
	seed = flag.Uint64("seed", uint64(time.Now().Unix()),
		"of the order in which -random makes mistakes")

	users = []string{"engine", "thread", "keyed", "mainthread", "recorder", "trace", "oracle"}
)

// random makes random mistakes. A test has noticed one if it fails, fails again alone, and passes
// without the mistake; so a test that fails by chance notices nothing. A hang is noticed by the
// time limit of the test or of the process.
func random(packages []string) error {
	if len(packages) == 0 {
		packages = strings.Fields(
			"internal/callq internal/freelist internal/spin internal/engine thread mainthread")
	}
	all, err := mutations(packages)
	if err != nil {
		return err
	}
	rand.New(rand.NewPCG(*seed, 0)).Shuffle(len(all), func(i, j int) {
		all[i], all[j] = all[j], all[i]
	})
	fmt.Printf("seed %d, %d places\n", *seed, len(all))
	made, survivors := 0, 0
	for _, m := range all {
		if made == *randomly {
			break
		}
		by, compiles, err := m.try()
		switch {
		case err != nil:
			return err
		case !compiles:
			continue
		case strings.HasSuffix(by, nothing):
			survivors++
		}
		made++
		fmt.Printf("%3d of %d: %s:%d %s: %s\n\t%s\n", made, *randomly, m.file, m.line, m.function,
			m.what, by)
	}
	fmt.Printf("noticed %d of %d\n", made-survivors, made)
	if survivors > 0 {
		return fmt.Errorf("nothing notices %d; write a test, or delete what nothing needs", survivors)
	}
	return nil
}

const nothing = "NOTHING"

// try makes the checks with m until a test notices it, and returns which, behind what failed by
// chance.
func (m *mutation) try() (by string, compiles bool, err error) {
	env, remove, err := patch.Overlay(map[string]string{m.file: m.text})
	if err != nil {
		return "", false, err
	}
	defer remove()
	dir := "./" + filepath.ToSlash(filepath.Dir(m.file))
	if _, err := patch.Go(env, "build", dir); err != nil {
		return "", false, nil
	}
	own := slices.IndexFunc(checks, func(c check) bool { return slices.Contains(c.args, dir) })
	if own < 0 {
		return "", false, fmt.Errorf("there is no check for %s", dir)
	}
	chance := ""
	for i, c := range checks[own:] {
		if i > 0 && !slices.Contains(users, c.name) {
			continue
		}
		noticed, byChance := c.notices(env)
		chance += byChance
		if noticed != "" {
			return chance + noticed, true, nil
		}
	}
	return chance + nothing, true, nil
}

// notices makes the check until a test fails that fails each time, and only with env. It returns
// that one, if there is any, and those that have failed by chance.
func (c check) notices(env []string) (noticed, chance string) {
	for skip := "^$"; ; {
		start := time.Now()
		out, err := c.make(env, everyTest, "-skip="+skip)
		if err == nil {
			return "", chance
		}
		test := culprit(out)
		name, _, _ := strings.Cut(test, " ")
		alone := "^" + name + "$"
		noticed = fmt.Sprintf("%s: %s, %.1f s", c.name, test, time.Since(start).Seconds())
		if !strings.HasPrefix(name, "Test") && !strings.HasPrefix(name, "Fuzz") ||
			strings.Contains(skip, alone) { // it has not run
			return noticed, chance
		}
		_, without := c.make(nil, alone)
		if _, err := c.make(env, alone, "-count=5"); err != nil && without == nil {
			return noticed, chance
		}
		chance += fmt.Sprintf("%s: %s once, by chance; ", c.name, test)
		skip += "|" + alone // the others have not been run
	}
}

// mutations returns all changes that can be made in the files of the packages that are compiled
// here.
func mutations(dirs []string) (all []*mutation, err error) {
	for _, dir := range dirs {
		dir = filepath.ToSlash(filepath.Clean(dir))
		out, err := patch.Go(nil, "list", "-f", `{{range .GoFiles}}{{.}} {{end}}`, "./"+dir)
		if err != nil {
			return nil, errors.New(string(out))
		}
		for name := range strings.FieldsSeq(string(out)) {
			name = dir + "/" + name
			source, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			in, err := mutationsIn(name, string(source))
			if err != nil {
				return nil, err
			}
			all = append(all, in...)
		}
	}
	return all, nil
}

func mutationsIn(name, source string) (all []*mutation, err error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, name, source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	function := ""
	at := func(p token.Pos) int { return files.Position(p).Offset }
	text := func(n ast.Node) string { return source[at(n.Pos()):at(n.End())] }
	add := func(n ast.Node, what, by string) {
		what = strings.Join(strings.Fields(what), " ")
		changed := source[:at(n.Pos())] + by + source[at(n.End()):]
		if _, err := parser.ParseFile(token.NewFileSet(), name, changed, 0); err != nil {
			return // there is no place for an if
		}
		all = append(all, &mutation{name, function, what[:min(len(what), 70)],
			files.Position(n.Pos()).Line, changed})
	}
	leaveOut := func(s ast.Stmt) {
		add(s, "without "+text(s), "if false { "+text(s)+" }") // what it uses is still used
	}
	negate := func(c ast.Expr) { add(c, "!("+text(c)+")", "!("+text(c)+")") }
	inspect := func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.ExprStmt, *ast.IncDecStmt, *ast.SendStmt, *ast.DeferStmt, *ast.GoStmt:
			leaveOut(n.(ast.Stmt))
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				leaveOut(n)
			}
		case *ast.IfStmt:
			negate(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				negate(n.Cond)
			}
		case *ast.SwitchStmt:
			for _, c := range n.Body.List {
				for _, condition := range c.(*ast.CaseClause).List {
					if n.Tag == nil {
						negate(condition)
					}
				}
			}
		case *ast.BinaryExpr:
			if other := map[token.Token]string{token.LAND: " || ", token.LOR: " && "}[n.Op]; other != "" {
				by := text(n.X) + other + text(n.Y)
				add(n, by, by)
			}
		}
		return true
	}
	for _, d := range file.Decls {
		function = "a declaration"
		if f, ok := d.(*ast.FuncDecl); ok {
			if function = f.Name.Name; f.Recv != nil {
				function = types.ExprString(f.Recv.List[0].Type) + "." + function
			}
		}
		ast.Inspect(d, inspect)
	}
	return all, nil
}
