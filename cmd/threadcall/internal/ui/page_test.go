package ui_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/ui/pagetest"
)

const table = `<input type="search" data-filter="tbody tr">
<table class="sortable"><thead><tr><th>name</th><th class="num">size</th></tr></thead><tbody>
<tr><td>pear</td>{{bytesCell 900}}</tr>
<tr><td>apple</td>{{bytesCell 10240}}</tr>
<tr><td>plum</td>{{bytesCell .}}</tr>
</tbody></table>`

func TestPage_tables(t *testing.T) {
	var got []string
	pagetest.Run(t, ui.Page{Title: "Fruit", Source: table, View: uint64(3)}, `
		const shown = () => [...document.querySelectorAll("tbody tr")].filter(r => !r.hidden)
			.map(r => r.cells[0].textContent).join();
		const [byName, bySize] = document.querySelectorAll("th"), out = [shown()];
		byName.click(); out.push(shown());
		bySize.click(); out.push(shown());
		bySize.click(); out.push(shown());
		const input = document.querySelector("input");
		input.value = "P 3"; input.dispatchEvent(new Event("input")); out.push(shown());
		return out;`, &got)
	want := "pear,apple,plum|apple,pear,plum|apple,pear,plum|plum,pear,apple|plum"
	if strings.Join(got, "|") != want {
		t.Errorf("got %q, want %s", got, want)
	}
}

func TestPage_data(t *testing.T) {
	const evil = `</script><img src=x><script>throw 1</script><!--`
	var got string
	pagetest.Run(t, ui.Page{Title: evil, Data: map[string]string{"evil": evil},
		Script: "document.body.dataset.evil = data.evil;"},
		`return document.body.dataset.evil + document.images.length;`, &got)
	if got != evil+"0" {
		t.Errorf("got %q", got)
	}
}

func TestPage_Save(t *testing.T) {
	name := filepath.Join(t.TempDir(), "page.html")
	if err := (ui.Page{Title: "old"}).Save(name); err != nil {
		t.Fatal(err)
	}
	for _, wrong := range []ui.Page{{Title: "new", Data: func() {}}, {Title: "new", Source: "{{"},
		{Title: "new", Source: "{{.None}}", View: 1}} {
		if err := wrong.Save(name); err == nil {
			t.Errorf("no error for %+v", wrong)
		}
	}
	if got, _ := os.ReadFile(name); !strings.Contains(string(got), "<h1>old</h1>") {
		t.Errorf("%s", got)
	}
	_, err := os.Stat("/dev/full")
	if err == nil && (ui.Page{Title: "full"}).Save("/dev/full") == nil {
		t.Error("no error from a full disk")
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), ".*")); left != nil {
		t.Errorf("left %q", left)
	}
}
