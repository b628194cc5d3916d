package revision

import (
	"context"
	"strings"
	"time"
)

// Committed returns when the commit was made.
func (r *Repository) Committed(ctx context.Context, c Commit) (time.Time, error) {
	out, err := git(ctx, r.Top, "log", "-1", "--format=%cI", c.Hash)
	if err != nil {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, strings.TrimSpace(out))
}

// Order returns the place of each of the commits in history, ancestors first. Those that the repository does not know have
// none.
func (r *Repository) Order(ctx context.Context, hashes []string) (map[string]int, error) {
	args := []string{"rev-list", "--topo-order", "--reverse", "--ignore-missing", "--end-of-options"}
	out, err := git(ctx, r.Top, append(args, hashes...)...)
	if err != nil {
		return nil, err
	}
	order := map[string]int{}
	for i, hash := range strings.Fields(out) {
		order[hash] = i
	}
	return order, nil
}
