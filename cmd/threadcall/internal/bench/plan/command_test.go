//go:build unix

package plan

import (
	"slices"
	"strings"
	"testing"
)

func TestNewCommands(t *testing.T) {
	for _, text := range []string{"ls -l", "ls --colour=no a=b"} {
		all, err := NewCommands([]string{"true", text})
		if err != nil || !slices.Equal(all[1].Args, strings.Fields(text)) || len(all[0].Args) != 1 {
			t.Errorf("%s: %+v, %v", text, all, err)
		}
	}
	for _, text := range []string{"ls | wc", "ls >/dev/null", "ls $HOME", "ls 'a b'", "ls ~",
		"ls *.go", "X=1 ls", "exit"} {
		all, err := NewCommands([]string{"true", text})
		if err != nil || !slices.Equal(all[1].Args, []string{"sh", "-c", text}) ||
			all[0].Args[2] != "true" {
			t.Errorf("%s: %+v, %v", text, all, err)
		}
	}
	for _, c := range []struct{ texts, want []string }{
		{[]string{"./old -x", "../new"}, []string{"old", "new"}},
		{[]string{"sh -c 1", "sh -c 2"}, []string{"1", "2"}},
		{[]string{"my+old: x", "./new | wc"}, []string{"my+old", "new"}},
	} {
		if got := naming(c.texts); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.texts, got, c.want)
		}
	}
	for want, texts := range map[string][]string{"whole command": {"./old", "-x"},
		"empty": {"true", " "}, "no such file": {"./no/such"}} {
		if _, err := NewCommands(texts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", texts, err)
		}
	}
}
