package build

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

// layouts links the package again in each version, with its functions in other orders. Versions that are the same binary have
// different ones.
func (b *Builder) layouts(ctx context.Context, p gotest.Package, binaries []*gotest.Binary, jobs []*rounds.Job) error {
	all := make([][]*gotest.Binary, len(binaries))
	for v, binary := range binaries {
		if binary == nil {
			continue
		}
		for layout := range b.Set.Layouts {
			b.Log.Progress(fmt.Sprintf("linking %s, layout %d of %d", p.ImportPath, layout+1, b.Set.Layouts))
			seed := layout + 1
			if b.Set.AA {
				seed += v * b.Set.Layouts
			}
			one, err := b.layouter.layout(ctx, binary, seed)
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

// A layouter links test binaries with layouts, each once. A search asks for them when they are needed: how many rounds it takes is
// not known before.
type layouter struct {
	sources map[*gotest.Binary]source
	linked  map[*gotest.Binary]map[int]*gotest.Binary // by the seed
}

func newLayouter() *layouter {
	return &layouter{map[*gotest.Binary]source{}, map[*gotest.Binary]map[int]*gotest.Binary{}}
}

// Layout returns copies of the jobs with the layout of this number in each version, and of which job each is one.
func (b *Builder) Layout(ctx context.Context, jobs []*rounds.Job, layout int) (copies []*rounds.Job, of map[*rounds.Job]*rounds.Job, err error) {
	of = map[*rounds.Job]*rounds.Job{}
	for _, j := range jobs {
		one := *j
		one.Versions = slices.Clone(j.Versions)
		for v, binary := range one.Versions {
			if one.Versions[v], err = b.layouter.layout(ctx, binary, layout); err != nil {
				return nil, nil, err
			}
		}
		copies = append(copies, &one)
		of[&one] = j
	}
	return copies, of, nil
}

// layout returns the test binary with its functions in the order that the seed makes. Versions have the same order as far as they have
// the same functions.
func (l *layouter) layout(ctx context.Context, binary *gotest.Binary, seed int) (*gotest.Binary, error) {
	if one := l.linked[binary][seed]; one != nil {
		return one, nil
	}
	one, from := *binary, l.sources[binary]
	one.Path = fmt.Sprintf("%s.%d.exe", strings.TrimSuffix(binary.Path, ".exe"), seed)
	flags := append(slices.Clone(from.flags), fmt.Sprintf("-ldflags=-randlayout=%d", seed))
	if err := from.tree.Build(ctx, from.pkg, one.Path, flags...); err != nil {
		return nil, fmt.Errorf("-layouts: %w", err)
	}
	if l.linked[binary] == nil {
		l.linked[binary] = map[int]*gotest.Binary{}
	}
	l.linked[binary][seed] = &one
	return &one, nil
}
