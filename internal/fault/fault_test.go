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

// A list that is full loses what comes, and says with the last how many.
func TestList(t *testing.T) {
	var l List
	for i := range maxKept + 3 {
		l.Add(&Fault{Value: i})
	}
	for i := range maxKept {
		f, lost := l.Next()
		want := 0
		if i == maxKept-1 {
			want = 3
		}
		if f.Value != i || lost != want {
			t.Fatalf("fault %d is %v, %d lost", i, f.Value, lost)
		}
	}
	if f, lost := l.Next(); f != nil || lost != 0 {
		t.Errorf("an empty list has %v, %d lost", f, lost)
	}
	if l.Add(&Fault{Value: "again"}); l.kept[0].Value != "again" {
		t.Error("a list that was full keeps nothing")
	}
}
