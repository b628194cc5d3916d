package dashes

import (
	"slices"
	"strings"
	"testing"
)

func TestFlagsGetTwoDashes(t *testing.T) {
	for from, to := range map[string]string{
		"bench,-ldflags,-s -w,-gcflags,-N,-col=/size": "bench,--ldflags,-s -w,--gcflags,-N,--col=/size",
		"--json,-v,-fail-on,-5%,-html,a-b":            "--json,-v,--fail-on,-5%,--html,a-b",
		"-json,-o,x,--,prog,-json,-v,--x,--,-run":     "--json,-o,x,--,prog,-json,-v,--x,--,-run",
	} {
		if got := Two(strings.Split(from, ",")); !slices.Equal(got, strings.Split(to, ",")) {
			t.Errorf("%s: %q, want %s", from, got, to)
		}
	}
}
