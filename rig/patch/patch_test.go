package patch

import (
	"slices"
	"testing"
)

func TestEdit_apply(t *testing.T) {
	e := Edit{Lines: []string{" b", "-x"}}
	got, err := e.apply([]string{"a", "x", "\tb // as before", "\tx", "c"})
	if want := []string{"a", "x", "b", "c"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	for _, lines := range [][]string{{"a", "b", "y"}, {"b", "x", "b", "x"}} {
		if got, err := e.apply(lines); err == nil {
			t.Errorf("%q becomes %q", lines, got)
		}
	}
}
