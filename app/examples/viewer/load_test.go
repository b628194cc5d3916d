package main

import (
	"bytes"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPicturesOfAllFormatsAreRead(t *testing.T) {
	m := image.NewPaletted(image.Rect(5, 5, 45, 25), color.Palette{color.RGBA{0x40, 0x80, 0xc0, 0xff}})
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"a.png": func(b *bytes.Buffer) error { return png.Encode(b, m) },
		"a.jpg": func(b *bytes.Buffer) error { return jpeg.Encode(b, m, nil) },
		"a.gif": func(b *bytes.Buffer) error { return gif.Encode(b, m, nil) },
	} {
		var b bytes.Buffer
		if err := encode(&b); err != nil {
			t.Fatal(err)
		}
		got, err := read(request{file: write(t, name, b.Bytes()), largest: 40})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got.Rect.Min != (image.Point{}) || got.Rect.Dx() != 40 && name != "a.gif" {
			t.Errorf("%s: %v", name, got.Rect)
		}
		if c := got.RGBAAt(10, 10); c.B < 0xb8 || c.R > 0x48 || c.A != 0xff {
			t.Errorf("%s: the colour is %v", name, c)
		}
	}
}

func TestBadFilesAreNamed(t *testing.T) {
	var whole bytes.Buffer
	if err := png.Encode(&whole, image.NewRGBA(image.Rect(0, 0, 100, 50))); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		file, want string
	}{
		{filepath.Join(t.TempDir(), "missing.png"), "cannot be opened: "},
		{write(t, "text.png", []byte("no picture")), "is no PNG, JPEG or GIF"},
		{write(t, "half.png", whole.Bytes()[:whole.Len()-30]), "is damaged: "},
		{write(t, "large.png", whole.Bytes()), "is too large: 100 × 50"},
		{t.TempDir(), "is no PNG"},
	} {
		r := request{file: c.file, at: 1, of: 3, largest: 200}
		if strings.Contains(c.file, "large") {
			r.largest = 99
		}
		m, err := read(r)
		if err == nil || m != nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), c.file) {
			t.Errorf("%s: %v", c.file, err)
		}
		if title := r.title(m, err); !strings.HasPrefix(title, filepath.Base(c.file)+" (2 of 3): ") {
			t.Errorf("the title is %q", title)
		}
	}
}

func TestTheLastRequestIsServed(t *testing.T) {
	told := make(chan string, 100)
	l := newLoader(func(r request, _ *picture, _ error) { told <- r.file })
	for range 50 {
		l.load(request{file: "passed over"})
	}
	l.load(request{file: "last"})
	l.stop()
	close(told)
	last := ""
	for file := range told {
		last = file
	}
	if last != "last" {
		t.Fatalf("the last one was %q", last)
	}
}

func write(t *testing.T, name string, content []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}
