//go:build !windows && !darwin

package app_test

import (
	"strings"
	"testing"
)

func TestWhatTheSystemLacks(t *testing.T) {
	bare, server, err := startServer("-extension", "GLX")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = server.Process.Kill() }()
	for _, test := range []struct {
		name    string
		program string
		env     []string
		want    []string
	}{
		{"no display", "init", []string{"DISPLAY="}, []string{"no display: true", "DISPLAY is not set", "xvfb"}},
		{"a display that does not answer", "init", []string{"DISPLAY=:987"}, []string{"no display: true", ":987", "xauth"}},
		{"a display that is no display", "init", []string{"DISPLAY=nonsense"}, []string{"no display: true", "nonsense"}},
		{"an X server without OpenGL", "new window", []string{"DISPLAY=" + bare},
			[]string{"no OpenGL: true", "libgl1-mesa-dri", "GLX extension"}},
		{"no driver", "new window", []string{"LIBGL_DRIVERS_PATH=/nowhere"},
			[]string{"no OpenGL: true", "libgl1-mesa-dri"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			out, status := program(t, test.program, test.env...)
			if status != 0 {
				t.Errorf("status %d", status)
			}
			for _, want := range test.want {
				if n := strings.Count(out, want); n < 2 {
					t.Errorf("%q came %d times, want it twice", want, n)
				}
			}
			t.Logf("%s", out)
		})
	}
}
