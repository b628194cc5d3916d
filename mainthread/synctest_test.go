//go:build go1.25

package mainthread_test

import "testing/synctest"

func init() { inBubble = synctest.Test }
