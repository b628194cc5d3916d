//go:build !go1.25

package oracle

import "testing"

func bubbles(*testing.T) {}
