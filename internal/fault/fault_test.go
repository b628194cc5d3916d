package fault

import (
	"strings"
	"testing"

	"github.com/threadcall/threadcall/internal/stack"
)

func panics() { panic("value") }

func caught() (f *Fault) {
	defer func() { f = Caught(recover()) }()
	panics()
	return nil
}

func TestCaught_hasTheFunctionThatPanicked(t *testing.T) {
	f := caught()
	if text := stack.Trace(f.Stack); f.Value != "value" || !strings.Contains(text, "fault.panics") {
		t.Errorf("%v in %s", f.Value, text)
	}
}

func TestFault_Raise_panicsWithTheValue(t *testing.T) {
	defer func() {
		if v := recover(); v != "value" {
			t.Errorf("recover returns %v", v)
		}
	}()
	caught().Raise()
}
