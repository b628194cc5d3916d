package allocs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/escape"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/testbin"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/interrupt"
	"github.com/threadcall/threadcall/internal/memprofile"
)

// Variable names, to package recorder, the file for the profile.
const Variable = "THREADCALL_ALLOCS"

// Command runs a command whose program imports package recorder, and reports what that has allocated altogether. If ctx
// is done the command is interrupted, and what it has left is reported.
func (s Settings) Command(ctx context.Context, argv []string, stdout, stderr io.Writer) (*Report, error) {
	dir, err := temporary()
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "profile")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	cmd.Env = append(os.Environ(), Variable+"="+file)
	if filepath.Base(argv[0]) != "go" { // which would profile the compiler, too
		cmd.Env = append(cmd.Env, "GODEBUG="+strings.TrimSuffix("memprofilerate=1,"+os.Getenv("GODEBUG"), ","))
	}
	name := strings.Join(argv, " ")
	failed := interrupt.Run(ctx, cmd)
	if failed == nil {
		failed = ctx.Err() // an interrupted one is told, also if it has ended well
	}
	if cmd.Process == nil {
		return nil, failed
	}
	p, err := heap.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		err = noProfile(name)
	}
	if err != nil {
		if failed != nil {
			err = fmt.Errorf("%s: %w\n%w", name, failed, err)
		}
		return nil, err
	}
	r := &Report{Command: argv, Runs: []Run{{Name: name, profile: heap.Total(p, looksStandard)}}}
	if failed != nil {
		problem := failed.Error()
		if errors.Is(failed, context.Canceled) {
			problem = "interrupted"
		}
		r.Failures = append(r.Failures, Failure{Name: name, Problem: problem})
	}
	s.Progress("asking the compiler for reasons")
	j, err := s.ask(context.WithoutCancel(ctx), r, p, dir)
	if err != nil {
		r.Notes = append(r.Notes, "no reasons by the compiler: "+err.Error())
	}
	r.join(j)
	return r, nil
}

func noProfile(name string) error {
	return fmt.Errorf(`%s left no profile. Its main function must begin with the second of these lines:
	import "github.com/threadcall/threadcall/recorder"
	defer recorder.Start()()
and a program that ends by os.Exit or log.Fatal must call recorder.Stop before`, name)
}

// ask compiles the packages from which the profile's functions are, where their source is at hand, for the compiler's
// reasons.
func (s Settings) ask(ctx context.Context, r *Report, p *memprofile.Profile, dir string) (joiner, error) {
	b := testbin.Builder{Settings: s.Settings, Dir: dir, Log: escape.New()}
	for _, f := range p.Frames {
		at := filepath.Dir(f.File)
		if looksStandard(heap.Frame(f).Package()) || !filepath.IsAbs(f.File) || slices.Contains(b.Settings.Packages, at) {
			continue
		}
		if _, err := os.Stat(f.File); err == nil {
			b.Settings.Packages = append(b.Settings.Packages, at)
		}
	}
	j := joiner{log: b.Log, std: looksStandard}
	var asked []testbin.Package
	var err error
	if len(b.Settings.Packages) > 0 {
		asked, err = b.Sources(ctx)
	}
	for _, p := range asked {
		r.Asked = append(r.Asked, p.ImportPath)
		if p.Name == "main" {
			r.Asked = append(r.Asked, "main") // as stacks have it
		}
	}
	return j, err
}
