package session

import (
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// An object is one of the definitions in the schema.
type object struct {
	Properties           map[string]json.RawMessage
	Required             []string
	AdditionalProperties *bool
}

func TestTheSchemaHasEveryFieldAndNoOther(t *testing.T) {
	text, err := os.ReadFile("../../../../../docs/bench.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	var schema struct {
		Defs map[string]object `json:"$defs"`
	}
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	var look func(reflect.Type)
	look = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || of.PkgPath() == "time" || seen[of.Name()] {
			return
		}
		seen[of.Name()] = true
		def, ok := schema.Defs[of.Name()]
		if !ok {
			t.Errorf("%v is not in the schema", of)
			return
		}
		if def.AdditionalProperties == nil || *def.AdditionalProperties {
			t.Errorf("%v: the schema allows other properties", of)
		}
		var names []string
		for i := range of.NumField() {
			f := of.Field(i)
			if !f.IsExported() {
				continue
			}
			name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
			names = append(names, name)
			if def.Properties[name] == nil {
				t.Errorf("%v.%s: %q is not in the schema", of, f.Name, name)
			}
			if required := slices.Contains(def.Required, name); required != (options == "") {
				t.Errorf("%v.%s: required in the schema: %v", of, f.Name, required)
			}
			look(f.Type)
		}
		for name := range def.Properties {
			if !slices.Contains(names, name) {
				t.Errorf("%v has no %q, which is in the schema", of, name)
			}
		}
	}
	look(reflect.TypeFor[Report]())
	look(reflect.TypeFor[Compared]())
	for name := range schema.Defs {
		if !seen[name] {
			t.Errorf("the schema has %s, which no document contains", name)
		}
	}
}
