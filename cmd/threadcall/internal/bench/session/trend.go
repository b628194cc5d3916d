package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/chart"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/revision"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/stats"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/store"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
)

// SaveTrend writes a page with what runs in dir have saved under the labels, in the order of the commits. It returns a
// sentence about it. No labels stand for the only one that there is.
func SaveTrend(ctx context.Context, dir string, labels []string, filter, name string) (string, error) {
	at := store.Dir(dir)
	if len(labels) == 0 {
		if labels = store.Labels(at); len(labels) != 1 {
			return "", fmt.Errorf("-trend needs a label, as @main: there are %d, %s", len(labels), strings.Join(labels, ", "))
		}
	}
	var all []store.Saved
	for _, label := range labels {
		some, err := store.List(at, label)
		if err != nil {
			return "", err
		}
		all = append(all, some...)
	}
	sortByCommit(ctx, dir, all)
	read := func(saved []store.Saved) (*stats.Comparison, error) {
		var args []string
		for i, s := range saved {
			args = append(args, fmt.Sprintf("%d=%s", i, s.File))
		}
		data, err := stats.Read(args...)
		if err == nil && filter != "" {
			data, err = data.Filter(filter)
		}
		if err != nil {
			return nil, err
		}
		return data.Compare(), nil
	}
	t := chart.Trend{Title: "Trend of " + strings.Join(labels, ", "), Steps: make([]*stats.Comparison, len(all))}
	var err error
	if t.Comparison, err = read(all); err != nil {
		return "", err
	}
	for i, s := range all {
		p := chart.Point{Commit: s.Short(), Subject: s.Subject, Saved: s.Saved.Format("2006-01-02 15:04"), Go: s.Go, Machine: s.Machine.String()}
		if !s.Committed.IsZero() {
			p.Committed = s.Committed.Format("2006-01-02 15:04")
		}
		t.Points = append(t.Points, p)
		if i > 0 {
			if t.Steps[i], err = read(all[i-1 : i+1]); err != nil {
				return "", err
			}
		}
		if i > 0 && !s.Machine.SameKind(all[i-1].Machine) {
			t.Notes = append(t.Notes, fmt.Sprintf("From %s on the machine is another one: %s.", s.Short(), s.Machine))
		}
	}
	if err := t.Save(name); err != nil {
		return "", fmt.Errorf("cannot write the page: %w", err)
	}
	return fmt.Sprintf("%s: the trend of %s, %s to %s.", name, ui.Counted(len(all), "saved result", "saved results"), all[0].Short(), all[len(all)-1].Short()), nil
}

// sortByCommit orders results as their commits are in history, those of one commit in the order in which they were saved.
// Where git does not know a commit, its date decides.
func sortByCommit(ctx context.Context, dir string, all []store.Saved) {
	slices.SortStableFunc(all, func(a, b store.Saved) int {
		if a.Commit == b.Commit || a.Committed.Equal(b.Committed) {
			return a.Saved.Compare(b.Saved)
		}
		return a.Committed.Compare(b.Committed)
	})
	var hashes []string
	for _, s := range all {
		if s.Commit != "" && !slices.Contains(hashes, s.Commit) {
			hashes = append(hashes, s.Commit)
		}
	}
	repository, err := revision.Open(ctx, dir)
	if err != nil || len(hashes) == 0 {
		return
	}
	order, err := repository.Order(ctx, hashes)
	if err != nil {
		return
	}
	for _, s := range all {
		if _, ok := order[s.Commit]; !ok { // the dates order all
			return
		}
	}
	slices.SortStableFunc(all, func(a, b store.Saved) int { return order[a.Commit] - order[b.Commit] })
}
