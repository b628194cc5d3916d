//go:build linux && (amd64 || arm64)

package nativeloop_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestAttach_servesInALibraryForC has a C program whose threads run functions of a library in Go.
func TestAttach_servesInALibraryForC(t *testing.T) {
	const want = `init on the main thread: false
mainthread: false false false
mainthread: Init in a C library, whose main function does not run; ` +
		`call thread.Adopt in an exported function, on the thread of the host
other, on its thread: true true
other, closed: false false
loop, on the main thread: true true
again: true
loop, closed: false false
`
	if testing.Short() {
		t.Skip("it takes a C compiler")
	}
	needNative(t)
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	for mode, suffix := range map[string]string{"c-shared": ".so", "c-archive": ".a"} {
		t.Run(mode, func(t *testing.T) {
			dir := t.TempDir()
			library, host := filepath.Join(dir, "library"+suffix), filepath.Join(dir, "host")
			for _, build := range []*exec.Cmd{
				exec.Command("go", "build", "-buildmode="+mode, "-o", library, "./testdata/clibrary"),
				exec.Command("gcc", "-I", dir, "-o", host, "testdata/host.c", library,
					"-l:libglib-2.0.so.0", "-lpthread", "-ldl"),
			} {
				build.Env = append(os.Environ(), "CGO_ENABLED=1")
				if out, err := build.CombinedOutput(); err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
			}
			if out, err := exec.Command(host).CombinedOutput(); err != nil || string(out) != want {
				t.Errorf("error %v, output\n%s\nwant\n%s", err, out, want)
			}
		})
	}
}
