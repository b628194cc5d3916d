//go:build !race

package testutil

// Race tells whether the race detector is on.
const Race = false
