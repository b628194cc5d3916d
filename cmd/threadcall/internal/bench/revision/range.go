package revision

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// A Logged is a commit as the log has it.
type Logged struct {
	Commit
	Author string
	Date   string // that its author gave it, as RFC 3339
	Merge  bool
}

// Changed returns the files in which two commits differ.
func (r *Repository) Changed(ctx context.Context, a, b Commit) (files []string, err error) {
	out, err := git(ctx, r.Top, "diff", "--name-only", "--no-renames", "-z", a.Hash, b.Hash)
	if err != nil || out == "" {
		return nil, err
	}
	return strings.Split(strings.Trim(out, "\x00"), "\x00"), nil
}

// Range returns the commits after good up to bad, the oldest first. Of a merge it follows the first parent: what was merged is a
// part of the merge.
func (r *Repository) Range(ctx context.Context, good, bad Commit) (commits []Logged, err error) {
	if good == bad {
		return nil, fmt.Errorf("both ends of the range are the commit %s", good.Short())
	}
	if _, err := git(ctx, r.Top, "merge-base", "--is-ancestor", good.Hash, bad.Hash); err != nil {
		if !errors.As(err, new(*exec.ExitError)) {
			return nil, err
		}
		hint := "they have no commit in common"
		if base, err := git(ctx, r.Top, "merge-base", good.Hash, bad.Hash); err == nil {
			hint = "both come from " + base[:10] + ", which can be the good end"
		}
		return nil, fmt.Errorf("%s is no ancestor of %s; %s", good.Short(), bad.Short(), hint)
	}
	out, err := git(ctx, r.Top, "log", "--first-parent", "--reverse", "-z", "--format=%H%n%P%n%an%n%aI%n%s", good.Hash+".."+bad.Hash)
	if err != nil {
		return nil, err
	}
	for entry := range strings.SplitSeq(strings.Trim(out, "\x00"), "\x00") {
		f := strings.SplitN(entry, "\n", 5)
		if len(f) != 5 {
			return nil, fmt.Errorf("git log printed %q", entry)
		}
		commits = append(commits, Logged{Commit{f[0], strings.TrimSpace(f[4])}, f[2], f[3], strings.Contains(f[1], " ")})
	}
	return commits, nil
}
