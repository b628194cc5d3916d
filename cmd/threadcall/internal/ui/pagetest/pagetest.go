// Package pagetest opens pages in a headless browser and runs scripts in them.
package pagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// browsers are the names of Chromium and its variants.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

const timeout = 2 * time.Minute

// first is the first element of the page, last is the last one.
const (
	first = `<script>
const pagetestErrors = [];
addEventListener("error", e => pagetestErrors.push(e.message));
addEventListener("unhandledrejection", e => pagetestErrors.push(String(e.reason)));
addEventListener("securitypolicyviolation", e =>
	pagetestErrors.push("the page loads " + (e.blockedURI || e.violatedDirective)));
</script>`
	last = `<script>
addEventListener("load", async () => {
	let value = null;
	try { value = await (async () => { SCRIPT })(); } catch (e) { pagetestErrors.push(String(e)); }
	const result = document.createElement("pre");
	result.id = "pagetest-result";
	result.textContent = JSON.stringify({value, errors: pagetestErrors});
	document.body.append(result);
});
</script>`
)

var result = regexp.MustCompile(`(?s)<pre id="pagetest-result">(.*?)</pre>`)

// Run opens the page, runs script in it as the body of an asynchronous function and stores its
// result, by way of JSON, in value. The test fails if there is an error in the page, or if it loads
// anything. Without a browser the test is skipped.
func Run(t testing.TB, page interface{ Write(io.Writer) error }, script string, value any) {
	t.Helper()
	var source bytes.Buffer
	if err := page.Write(&source); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(source.String(), "<head>", "<head>"+first, 1) + strings.Replace(last,
		"SCRIPT", script, 1)
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	program := ""
	for _, name := range browsers {
		if path, err := exec.LookPath(name); program == "" && err == nil {
			program = path
		}
	}
	if program == "" {
		t.Skipf("no browser; install one of %s", strings.Join(browsers, ", "))
	}
	// Not t.TempDir, which fails if the browser still writes to it.
	profile, err := os.MkdirTemp("", "pagetest-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(profile)
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, strings.Fields("--dump-dom --virtual-time-budget=20000 "+
		"--headless --no-sandbox --disable-gpu --disable-quic --disable-dev-shm-usage --no-first-run "+
		"--disable-background-networking --disable-component-update --disable-sync "+
		"--disable-crash-reporter --user-data-dir="+profile)...)
	cmd.Args = append(cmd.Args, "file:///"+strings.TrimPrefix(filepath.ToSlash(file), "/"))
	cmd.Env = append(os.Environ(), "HOME="+profile)
	cmd.WaitDelay = 5 * time.Second
	dom, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v", program, err)
	}
	found := result.FindSubmatch(dom)
	if found == nil {
		t.Fatalf("the script has not ended in:\n%s", dom)
	}
	got := struct {
		Value  any
		Errors []string
	}{Value: value}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(found[1]))), &got); err != nil {
		t.Fatalf("%v: %s", err, found[1])
	}
	for _, e := range got.Errors {
		t.Errorf("in the page: %s", e)
	}
}
