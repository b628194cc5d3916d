//go:build go1.25

package oracle

import (
	"testing"
	"testing/synctest"
)

// bubbles lets the operations of bubbles run in bubbles.
func bubbles(t *testing.T) {
	inBubble = func(f func()) { synctest.Test(t, func(*testing.T) { f() }) }
}
