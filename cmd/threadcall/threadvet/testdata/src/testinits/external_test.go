package testinits_test

import (
	"testing"
	"testinits"
)

func TestExternal(t *testing.T) { testinits.Show() } // want TestExternal:"needs init for mainthread.Call"
