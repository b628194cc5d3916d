package main

import "testing"

func TestWays(t *testing.T) {
	for _, w := range ways {
		if w.name == "" {
			t.Error(w)
		}
	}
}
