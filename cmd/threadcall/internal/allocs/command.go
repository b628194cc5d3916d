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
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/internal/record"
)

// Variable names, to package recorder, the file for the profile.
const Variable = "THREADCALL_ALLOCS"

// Command runs a command whose program imports package recorder, and reports what that has allocated altogether. If ctx
// is done the command is interrupted, and what it has left is reported.
func (s Settings) Command(ctx context.Context, argv []string, stdout, stderr io.Writer) (*Report, error) {
	scratch, err := gotest.NewScratch()
	if err != nil {
		return nil, err
	}
	defer scratch.Remove()
	file := filepath.Join(scratch.Dir, "profile")
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, stdout, stderr
	cmd.Env = append(os.Environ(), Variable+"="+file)
	if filepath.Base(argv[0]) != "go" { // which would profile the compiler, too
		cmd.Env = append(cmd.Env, "GODEBUG="+strings.TrimSuffix("memprofilerate=1,"+os.Getenv("GODEBUG"), ","))
	}
	name := strings.Join(argv, " ")
	stop := make(chan struct{})
	go s.watchProfile(file, stop)
	failed := gotest.Run(ctx, cmd)
	close(stop)
	if ctx.Err() != nil {
		failed = gotest.ErrInterrupted // also if it has ended well
	}
	if cmd.Process == nil {
		return nil, failed
	}
	if at, err := os.Stat(file); err == nil {
		s.Progress("reading the profile, " + ui.Bytes(at.Size()))
	}
	p, err := record.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		err = noProfile(name)
	}
	if err != nil {
		if failed != nil {
			err = fmt.Errorf("%s: %w\n%w", name, failed, err)
		}
		return nil, err
	}
	s.Progress("adding up " + ui.Counted(len(p.Records), "stack", "stacks"))
	r := &Report{Command: argv, Runs: []Run{{Name: name, profile: heap.Total(p, looksStandard)}}}
	if failed != nil {
		r.Failures = append(r.Failures, Failure{Name: name, Problem: failed.Error()})
	}
	s.Progress("asking the compiler for reasons")
	j, err := s.ask(context.WithoutCancel(ctx), r, p, scratch.Dir)
	if err != nil {
		r.Notes = append(r.Notes, "no reasons by the compiler: "+err.Error())
	}
	r.join(j)
	return r, nil
}

// watchProfile shows how the profile grows that the program writes at its end, until stop is closed.
func (s Settings) watchProfile(file string, stop chan struct{}) {
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-stop:
			tick.Stop()
			return
		case <-tick.C:
			if at, err := os.Stat(file + ".part"); err == nil {
				s.Progress("the program writes its profile, " + ui.Bytes(at.Size()))
			}
		}
	}
}

func noProfile(name string) error {
	return fmt.Errorf(`%s left no profile. Its main function must begin with the second of these lines:
	import "github.com/threadcall/threadcall/recorder"
	defer recorder.Start()()
and a program that ends by os.Exit or log.Fatal must call recorder.Stop before`, name)
}

// ask compiles the packages from which the profile's functions are, where their source is at hand, for the compiler's
// reasons.
func (s Settings) ask(ctx context.Context, r *Report, p *record.Profile, dir string) (joiner, error) {
	b, dirs := s.builder(dir, nil), []string(nil)
	for _, f := range p.Frames {
		at := filepath.Dir(f.File)
		if looksStandard(heap.Frame(f).Package()) || !filepath.IsAbs(f.File) || slices.Contains(dirs, at) {
			continue
		}
		if _, err := os.Stat(f.File); err == nil {
			dirs = append(dirs, at)
		}
	}
	j := joiner{log: b.log, std: looksStandard}
	asked, err := b.sources(ctx, dirs, s.Deps)
	for _, p := range asked {
		r.Asked = append(r.Asked, p.ImportPath)
		if p.Name == "main" {
			r.Asked = append(r.Asked, "main") // as stacks have it
		}
	}
	return j, err
}
