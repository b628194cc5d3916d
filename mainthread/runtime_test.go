package mainthread

import (
	"runtime/debug"
	"testing"
)

// Where the system does not tell the main thread, the build information tells a library.
func TestIsLibrary(t *testing.T) {
	if isLibrary(debug.ReadBuildInfo()) || isLibrary(nil, false) {
		t.Error("this program is a library, or what has no build information")
	}
	for setting, want := range map[debug.BuildSetting]bool{
		{Key: "-buildmode", Value: "c-shared"}:  true,
		{Key: "-buildmode", Value: "c-archive"}: true,
		{Key: "-buildmode", Value: "exe"}:       false,
		{Key: "-tags", Value: "c-shared"}:       false,
	} {
		settings := []debug.BuildSetting{{Key: "-compiler", Value: "gc"}, setting}
		if got := isLibrary(&debug.BuildInfo{Settings: settings}, true); got != want {
			t.Errorf("with %v it is a library: %t", setting, got)
		}
	}
}
