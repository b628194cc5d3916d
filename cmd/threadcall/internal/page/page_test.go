package page_test

import (
	"html/template"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/threadcall/threadcall/cmd/threadcall/internal/page"
	"github.com/threadcall/threadcall/cmd/threadcall/internal/page/pagetest"
)

const table = `<input type="search" data-filter="tbody tr">
<table class="sortable"><thead><tr><th>name</th><th class="num">size</th></tr></thead><tbody>
<tr><td>pear</td><td class="num" data-value="900">900 B</td></tr>
<tr><td>apple</td><td class="num" data-value="1024">1 KiB</td></tr>
<tr><td>plum</td><td class="num" data-value="3">3 B</td></tr>
</tbody></table>`

func saved(t *testing.T, p page.Page) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "page.html")
	if err := p.Save(name); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestTablesAreSortedAndFiltered(t *testing.T) {
	name := saved(t, page.Page{Title: "Fruit", Body: table})
	var got []string
	pagetest.Run(t, name, `
		const shown = () => [...document.querySelectorAll("tbody tr")].filter(r => !r.hidden).map(r => r.cells[0].textContent).join();
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

func TestDataCannotEndTheScript(t *testing.T) {
	const evil = `</script><img src=x><script>throw 1</script><!--`
	name := saved(t, page.Page{Title: evil, Data: map[string]string{"evil": evil}, Script: "document.body.dataset.evil = data.evil;"})
	var got string
	pagetest.Run(t, name, `return document.body.dataset.evil + document.images.length;`, &got)
	if got != evil+"0" {
		t.Errorf("got %q", got)
	}
}

func TestThePageHasItsLook(t *testing.T) {
	name := saved(t, page.Page{Title: "Fruit", Body: table, Style: "body { background: #123456 }"})
	picture := pagetest.Picture(t, name, 400, 300)
	if size := picture.Bounds().Size(); size.X != 400 || size.Y != 300 {
		t.Errorf("the picture is %v", size)
	}
	if got := color.RGBAModel.Convert(picture.At(2, 2)); got != (color.RGBA{0x12, 0x34, 0x56, 0xff}) {
		t.Errorf("the background is %v", got)
	}
}

func TestAPageThatCannotBeWrittenLeavesTheOldOne(t *testing.T) {
	name := saved(t, page.Page{Title: "old", Body: template.HTML("old")})
	if err := (page.Page{Title: "new", Data: func() {}}).Save(name); err == nil {
		t.Error("no error for data that JSON cannot hold")
	}
	if got, _ := os.ReadFile(name); !strings.Contains(string(got), "<h1>old</h1>") {
		t.Errorf("%s", got)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(name), ".*")); left != nil {
		t.Errorf("left behind: %q", left)
	}
}

func TestAFullDiskIsAnError(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("no /dev/full here")
	}
	if err := (page.Page{Title: "full"}).Save("/dev/full"); err == nil {
		t.Error("no error")
	}
}
