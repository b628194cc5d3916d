package session

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/store"
)

// A baseline is saved results that a run compares with in place of a revision.
type baseline struct {
	store.Saved
	data *stats.Data
}

// saved reports whether -vs names saved results: @main. @ alone is HEAD for git.
func saved(vs string) bool { return len(vs) > 1 && vs[0] == '@' && vs[1] != '{' }

// baseline makes a comparison with saved results of one with a revision, if the settings ask for that.
func (s *Settings) baseline() error {
	i := slices.IndexFunc(s.VS, saved)
	if i < 0 {
		return nil
	}
	vs := s.VS[i]
	if len(s.VS) > 1 {
		return fmt.Errorf("-vs %s compares with saved results, and no other -vs goes with that", vs)
	}
	label := strings.TrimPrefix(vs, "@")
	all, err := store.List(store.Dir(s.Dir), label)
	if err != nil {
		return fmt.Errorf("-vs %s: %w", vs, err)
	}
	last := all[len(all)-1]
	data, err := stats.Read(vs + "=" + last.File)
	if err != nil {
		return fmt.Errorf("-vs %s: %w", vs, err)
	}
	s.VS, s.against = nil, &baseline{last, data}
	return nil
}

// about describes the results of this run, for saving, or for comparing with what is saved.
func (m *measurement) about(ctx context.Context, results string) store.Saved {
	host, _ := os.Hostname()
	s := store.Saved{
		Label: m.set.Save, Saved: time.Now(), Go: m.log.report.Toolchain, Command: m.set.Command,
		Machine: store.Machine{Host: host, CPU: store.CPU(results), CPUs: runtime.NumCPU(), OS: runtime.GOOS, Arch: runtime.GOARCH},
	}
	repository, err := revision.Open(ctx, m.set.Dir)
	if err != nil { // there need not be one
		return s
	}
	if head, err := repository.Commit(ctx, "HEAD"); err == nil {
		s.Commit, s.Subject = head.Hash, head.Subject
		s.Committed, _ = repository.Committed(ctx, head)
	}
	changes, _ := repository.Changes(ctx)
	s.Changed = len(changes) > 0
	return s
}

// keep saves the newest version under the label of the settings, if there is one.
func (m *measurement) keep(ctx context.Context) error {
	report := m.log.report
	if m.set.Save == "" {
		return nil
	}
	if ctx.Err() != nil || m.data.Len() == 0 {
		m.log.note("Nothing is saved as %s, because the run is not complete.", m.set.Save)
		return nil
	}
	file := m.files[len(m.files)-1].Name
	s := m.about(ctx, file)
	name, err := store.Save(store.Dir(m.set.Dir), s, file)
	if err != nil {
		return err
	}
	report.Saved = m.short(name)
	if s.Changed {
		m.log.note("Saved as %s from a tree with changes that are not committed.", m.set.Save)
	}
	return nil
}

// oppose puts the saved results in front of those of the run, and notes what makes them hard to compare.
func (m *measurement) oppose(ctx context.Context) {
	old := m.set.against
	if old == nil {
		return
	}
	report := m.log.report
	report.Versions = append([]Version{{
		Name: "@" + old.Label, What: old.What(), Commit: old.Commit, Changed: old.Changed, Toolchain: old.Go, File: m.short(old.File),
	}}, report.Versions...)
	now := m.about(ctx, m.files[len(m.files)-1].Name)
	switch {
	case !old.Machine.SameKind(now.Machine):
		m.log.note("Warning: @%s was measured on another machine (%s; this one: %s): differences are the machine's as much as the program's.",
			old.Label, old.Machine, now.Machine)
	case old.Machine.Host != now.Machine.Host:
		m.log.note("@%s was measured on another machine of the same kind, %s.", old.Label, old.Machine.Host)
	}
	if old.Go != now.Go {
		m.log.note("@%s was built by %s, and this run by %s: the compiler may make the difference.", old.Label, old.Go, now.Go)
	}
	m.log.note("@%s was not measured in the rounds of this run. The values are compared as unpaired ones, by the Mann-Whitney U-test: "+
		"that the machine has become slower since counts as a change. -vs with a revision measures both.", old.Label)
}
