package ui

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// A Page is one HTML document that loads nothing, which its content security policy enforces.
//
// The style follows the reader's preference of light or dark. These elements work in every page:
//
//	<table class="sortable">           a click on a heading sorts; cells may have
//	                                   data-value=NUMBER; class="num" aligns right
//	<input data-filter="#id tbody tr"> hides the selected elements whose text has not all words
//
// Source can use these functions of numbers: duration, bytes, count, counted (with the noun for one
// and for several), and bytesCell, the cell of a table that shows a number of bytes.
type Page struct {
	Title  string
	Style  string           // CSS after the common one
	Source string           // template of the body, below the heading
	Funcs  template.FuncMap // more functions for Source
	View   any              // for Source
	Data   any              // for Script, as the constant data; must be valid as JSON
	Script string           // JavaScript, run when the body is complete
}

var (
	//go:embed style.css
	style string
	//go:embed page.js
	script string
	//go:embed page.html
	source string

	skeleton = template.Must(template.New("page").Parse(source))
)

var funcs = template.FuncMap{
	"duration": func(n any) string { return Duration(float(n)) },
	"bytes":    func(n any) string { return Bytes(float(n)) },
	"count":    func(n any) string { return Count(uint64(float(n))) },
	"counted":  func(n any, one, many string) string { return Counted(float(n), one, many) },
	"bytesCell": func(n any) template.HTML {
		return template.HTML(fmt.Sprintf(`<td class="num" data-value="%v">%s</td>`, float(n),
			Bytes(float(n))))
	},
}

func float(n any) float64 {
	switch v := reflect.ValueOf(n); {
	case v.CanInt():
		return float64(v.Int())
	case v.CanUint():
		return float64(v.Uint())
	default:
		return v.Float()
	}
}

// Write writes the document.
func (p Page) Write(w io.Writer) error {
	t, err := template.New("body").Funcs(funcs).Funcs(p.Funcs).Parse(p.Source)
	if err != nil {
		return err
	}
	var body strings.Builder
	if err := t.Execute(&body, p.View); err != nil {
		return err
	}
	data, err := json.Marshal(p.Data) // which escapes < and >, so that no value can end the script
	if err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	return skeleton.Execute(w, map[string]any{
		"Title":  p.Title,
		"Style":  template.CSS(style + p.Style),
		"Body":   template.HTML(body.String()),
		"Script": template.JS("const data = " + string(data) + ";\n" + script + p.Script),
	})
}

// Save writes the document to a file, which keeps its old content until the new one is complete.
func (p Page) Save(name string) error {
	var document bytes.Buffer
	if err := p.Write(&document); err != nil {
		return err
	}
	if at, err := os.Stat(name); err == nil && !at.Mode().IsRegular() { // a terminal, a pipe
		return os.WriteFile(name, document.Bytes(), 0)
	}
	temporary := filepath.Join(filepath.Dir(name),
		fmt.Sprintf(".%s-%d", filepath.Base(name), os.Getpid()))
	err := os.WriteFile(temporary, document.Bytes(), 0o644)
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		os.Remove(temporary)
	}
	return err
}
