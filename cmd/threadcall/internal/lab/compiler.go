package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"
)

const subjects = "github.com/threadcall/threadcall/cmd/threadcall/internal/lab/subject"

// messages are what the compiler writes about the functions of package subject, by function.
type messages map[string][]string

// compile asks the compiler with the given -gcflags.
func (l *lab) compile(flags string) (messages, error) {
	out, err := exec.CommandContext(l.ctx, "go", "build", "-gcflags="+subjects+"="+flags, subjects).CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go build -gcflags='%s': %w: %s", flags, err, out)
	}
	return byFunction(string(out))
}

var message = regexp.MustCompile(`subject\.go:(\d+):\d+: (.*)`)

// byFunction sorts the compiler's messages by the function in which their lines are.
func byFunction(output string) (messages, error) {
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "subject.go", subject.Source, 0)
	if err != nil {
		return nil, err
	}
	m := messages{}
	for _, found := range message.FindAllStringSubmatch(output, -1) {
		line, _ := strconv.Atoi(found[1])
		for _, d := range file.Decls {
			f, ok := d.(*ast.FuncDecl)
			if ok && files.Position(f.Pos()).Line <= line && line <= files.Position(f.End()).Line {
				m[f.Name.Name] = append(m[f.Name.Name], strings.TrimSpace(found[2]))
			}
		}
	}
	return m, nil
}

// claim judges that the compiler writes the lines about the function. Their number must be that of the article; with no
// lines, it must write none.
func (m messages) claim(function, says string, lines ...string) claim {
	all := m[function]
	found := 0
	for _, line := range lines {
		if slices.Contains(all, line) {
			found++
		}
	}
	if len(lines) == 0 {
		found = len(all)
	}
	here := "no line"
	if len(all) > 0 {
		here = "`" + strings.Join(all, "`, `") + "`"
	}
	return claim{says: says, here: here, found: exactly(float64(found)), claimed: is(float64(len(lines))), unit: func(n float64) string {
		return whole(n) + " of its lines"
	}}
}
