package host

import (
	"encoding/json"
	"testing"
)

func TestLevelsAreWordsInJSON(t *testing.T) {
	for _, level := range []Level{Fine, Note, Warning} {
		text, err := json.Marshal(level)
		var got Level
		if err != nil || json.Unmarshal(text, &got) != nil || got != level || string(text) != `"`+level.String()+`"` {
			t.Errorf("%v: %s, %v, %v", level, text, got, err)
		}
	}
	if err := new(Level).UnmarshalText([]byte("dire")); err == nil {
		t.Error("any word is a level")
	}
}
