package main

import (
	"slices"
	"testing"
)

func TestFlagsHaveOneDashOrTwo(t *testing.T) {
	got := twoDashes([]string{"bench", "-ldflags", "-s -w", "-gcflags", "-N", "-col=/size", "--json", "-v", "-fail-on", "-5%", "-html", "a-b"})
	want := []string{"bench", "--ldflags", "-s -w", "--gcflags", "-N", "--col=/size", "--json", "-v", "--fail-on", "-5%", "--html", "a-b"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
