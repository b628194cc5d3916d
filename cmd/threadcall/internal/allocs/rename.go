package allocs

import (
	"strings"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/allocs/heap"
)

// A move is of a directory whose copy was compiled: the report has the files where the user has them.
type move struct{ from, to string }

// moveFiles gives the files of the report other directories.
func (r *Report) moveFiles(moves []move) {
	if len(moves) == 0 {
		return
	}
	file := func(name *string) {
		for _, m := range moves {
			if rest, ok := strings.CutPrefix(*name, m.from); ok {
				*name = m.to + rest
				return
			}
		}
	}
	frames := func(s heap.Stack) {
		for i := range s {
			file(&s[i].File)
		}
	}
	for i := range r.Runs {
		run := &r.Runs[i]
		for _, s := range run.profile.Samples { // also those of the rows
			frames(s.Stack)
		}
		for j := range run.Rows {
			row := &run.Rows[j]
			file(&row.Where.File)
			file(&row.Site.File)
			for k := range row.Escapes {
				e := &row.Escapes[k]
				for l := range e.Path {
					file(&e.Path[l].File)
				}
				for l := range e.Flow {
					file(&e.Flow[l].At.File)
				}
			}
		}
	}
}
