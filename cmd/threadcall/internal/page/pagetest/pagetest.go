// Package pagetest opens pages in a browser without a screen, as a reader would, and asks them what they show.
package pagetest

import (
	"bytes"
	"context"
	"encoding/json"
	"html"
	"image"
	"image/png"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// browsers are the names under which systems have Chromium or what is made of it.
var browsers = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"}

// patience is how long the browser may take.
const patience = 2 * time.Minute

// before comes first in the page, after comes last.
const (
	before = `<script>
const pagetestErrors = [];
addEventListener("error", e => pagetestErrors.push(e.message));
addEventListener("unhandledrejection", e => pagetestErrors.push(String(e.reason)));
addEventListener("securitypolicyviolation", e => pagetestErrors.push("the page wants " + (e.blockedURI || e.violatedDirective)));
</script>`
	after = `<script>
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

// Run opens the page in the file, runs script in it as the body of an asynchronous function and stores what that
// returns, by way of JSON, in value. The test fails if there is an error in the page, or if it wants anything that is
// not in it. Without a browser the test is skipped.
func Run(t testing.TB, file, script string, value any) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := filepath.Join(t.TempDir(), "page.html")
	text := strings.Replace(string(source), "<head>", "<head>"+before, 1) + strings.Replace(after, "SCRIPT", script, 1)
	if err := os.WriteFile(copied, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	dom := browse(t, copied, "--dump-dom", "--virtual-time-budget=20000")
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

// Picture returns what the top of the page looks like, in a window of the given size, and leaves it as a PNG file in the
// test's artifacts (go test -artifacts).
func Picture(t testing.TB, file string, width, height int) image.Image {
	t.Helper()
	name := strings.TrimSuffix(filepath.Base(file), ".html") + ".png"
	shot := filepath.Join(t.ArtifactDir(), name)
	size := "--window-size=" + strconv.Itoa(width) + "," + strconv.Itoa(height)
	browse(t, file, "--screenshot="+shot, "--hide-scrollbars", size)
	f, err := os.Open(shot)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	picture, err := png.Decode(f)
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

func browse(t testing.TB, file string, args ...string) []byte {
	t.Helper()
	program := browser()
	if program == "" {
		t.Skipf("no browser to open the page in; install one of %s", strings.Join(browsers, ", "))
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	profile, err := os.MkdirTemp("", "pagetest-") // not t.TempDir, which fails if the browser still writes to it
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(profile) })
	cmd := exec.CommandContext(ctx, program, append(args, "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic",
		"--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking", "--disable-component-update",
		"--disable-sync", "--disable-crash-reporter", "--user-data-dir="+profile, address(t, file))...)
	cmd.Env = append(os.Environ(), "HOME="+profile)
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", program, err, stderr.Bytes())
	}
	return stdout.Bytes()
}

func browser() string {
	for _, name := range browsers {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func address(t testing.TB, file string) string {
	t.Helper()
	path, err := filepath.Abs(file)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
