package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/bench/rounds"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/gotest"
)

// A source is what a test binary was built from.
type source struct {
	tree  gotest.Tree
	pkg   gotest.Package
	flags []string
}

// relink links a test binary again, with its functions in the order that the seed makes. Versions have the same order as far
// as they have the same functions.
func (s source) relink(ctx context.Context, binary *gotest.Binary, file string, seed int) (*gotest.Binary, error) {
	flags := append(slices.Clone(s.flags), fmt.Sprintf("-ldflags=-randlayout=%d", seed))
	if err := s.tree.Build(ctx, s.pkg, file, flags...); err != nil {
		return nil, fmt.Errorf("-layouts: %w", err)
	}
	one := *binary
	one.Path = file
	return &one, nil
}

// layouts links the package with this index again in each version, with its functions in other orders. Versions that are the
// same binary have different ones.
func (b *builder) layouts(ctx context.Context, index int, packages [][]gotest.Package, binaries []*gotest.Binary, jobs []*rounds.Job) error {
	all := make([][]*gotest.Binary, len(binaries))
	for v, binary := range binaries {
		if binary == nil {
			continue
		}
		for layout := range b.set.Layouts {
			b.log.doing(fmt.Sprintf("linking %s, layout %d of %d", packages[v][index].ImportPath, layout+1, b.set.Layouts))
			seed := layout + 1
			if b.set.AA {
				seed += v * b.set.Layouts
			}
			from := source{b.versions.trees[v], packages[v][index], b.meter(b.versions.list[v])}
			one, err := from.relink(ctx, binary, relinked(binary, fmt.Sprintf("%d-%d", v, seed)), seed)
			if err != nil {
				return err
			}
			all[v] = append(all[v], one)
		}
	}
	for _, j := range jobs {
		j.Layouts = all
	}
	return nil
}

// relinked returns the name of a file next to that of a binary.
func relinked(binary *gotest.Binary, name string) string {
	return fmt.Sprintf("%s.%s.exe", strings.TrimSuffix(binary.Path, ".exe"), name)
}

// A layouter links the binaries of a search when they are needed: how many rounds it takes is not known before.
type layouter struct {
	sources map[*gotest.Binary]source
	linked  map[*gotest.Binary]map[int]*gotest.Binary // by the seed
}

func newLayouter() *layouter {
	return &layouter{map[*gotest.Binary]source{}, map[*gotest.Binary]map[int]*gotest.Binary{}}
}

// jobs returns copies of the jobs with the layout of this number in each version, and of which job each is one.
func (l *layouter) jobs(ctx context.Context, jobs []*rounds.Job, layout int) (copies []*rounds.Job, of map[*rounds.Job]*rounds.Job, err error) {
	of = map[*rounds.Job]*rounds.Job{}
	for _, j := range jobs {
		one := *j
		one.Versions = slices.Clone(j.Versions)
		for v, binary := range one.Versions {
			if one.Versions[v], err = l.layout(ctx, binary, layout); err != nil {
				return nil, nil, err
			}
		}
		copies = append(copies, &one)
		of[&one] = j
	}
	return copies, of, nil
}

func (l *layouter) layout(ctx context.Context, binary *gotest.Binary, layout int) (*gotest.Binary, error) {
	if one := l.linked[binary][layout]; one != nil {
		return one, nil
	}
	one, err := l.sources[binary].relink(ctx, binary, relinked(binary, fmt.Sprint(layout)), layout)
	if err != nil {
		return nil, err
	}
	if l.linked[binary] == nil {
		l.linked[binary] = map[int]*gotest.Binary{}
	}
	l.linked[binary][layout] = one
	return one, nil
}
