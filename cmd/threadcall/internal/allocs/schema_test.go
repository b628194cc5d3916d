package allocs

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func TestTheSchemaNamesEveryField(t *testing.T) {
	text, err := os.ReadFile("../../../../docs/allocs.md")
	if err != nil {
		t.Fatal(err)
	}
	_, schema, found := strings.Cut(string(text), "\n## JSON\n")
	if !found {
		t.Fatal("no schema")
	}
	seen := map[reflect.Type]bool{}
	var look func(reflect.Type)
	look = func(of reflect.Type) {
		for of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice {
			of = of.Elem()
		}
		if of.Kind() != reflect.Struct || seen[of] {
			return
		}
		seen[of] = true
		for i := range of.NumField() {
			f := of.Field(i)
			if !f.IsExported() {
				continue
			}
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if name == "" || !regexp.MustCompile(`\b`+name+`\b`).MatchString(schema) {
				t.Errorf("%v.%s: %q is not in the schema", of, f.Name, name)
			}
			look(f.Type)
		}
	}
	look(reflect.TypeFor[Report]())
	look(reflect.TypeFor[Comparison]())
}
