// Package page writes what the commands found out as web pages: one file each, which needs nothing else, neither a
// network nor a library, and whose content security policy says so to the browser.
package page

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
)

// A Page is one HTML document.
//
// The look is that of style.css: a dark one where the reader prefers it. These work in every page:
//
//	<table class="sortable">           sorted by a click on a heading; cells may have data-value=NUMBER; class="num" aligns right
//	<input data-filter="#id tbody tr"> hides the elements that match the selector and do not have the words in their text
type Page struct {
	Title  string
	Style  string        // CSS after the common one
	Body   template.HTML // below the heading
	Data   any           // for Script, as the constant data; JSON must be able to hold it
	Script string        // JavaScript, run when the body is there
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

// Write writes the document.
func (p Page) Write(w io.Writer) error {
	data, err := json.Marshal(p.Data) // which escapes < and >, so that no value can end the script
	if err != nil {
		return fmt.Errorf("page %q: %w", p.Title, err)
	}
	return skeleton.Execute(w, map[string]any{
		"Title":  p.Title,
		"Style":  template.CSS(style + p.Style),
		"Body":   p.Body,
		"Script": template.JS("const data = " + string(data) + ";\n" + script + p.Script),
	})
}

// Save writes the document to a file, which is the old one until the new one is complete.
func (p Page) Save(name string) error {
	if at, err := os.Stat(name); err == nil && !at.Mode().IsRegular() { // a terminal, a pipe
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		return p.finish(f)
	}
	f, err := os.CreateTemp(filepath.Dir(name), "."+filepath.Base(name)+"-*")
	if err != nil {
		return err
	}
	err = f.Chmod(0o644)
	if closed := p.finish(f); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

func (p Page) finish(f *os.File) error {
	err := p.Write(f)
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}
