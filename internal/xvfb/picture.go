package xvfb

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The file in which Xvfb keeps its screen is in the format of the program xwd: a header of big-endian words, the name
// of the screen, colours that a screen of 24 bits does not use, and the pixels.
const (
	headerSize   = 0 // with the name, in bytes
	imageWidth   = 4
	imageHeight  = 5
	byteOrder    = 7 // of the pixels: 1 for big-endian
	bytesPerLine = 12
	bitsPerPixel = 11
	colours      = 19
	colourSize   = 12
	headerWords  = 25
)

// Picture returns what is on the screen, without the black around it. If all is black, it is empty.
func (s *Screen) Picture() (*image.RGBA, error) {
	data, err := os.ReadFile(s.file)
	if err != nil {
		return nil, err
	}
	return parse(data)
}

func parse(data []byte) (*image.RGBA, error) {
	var header [headerWords]int
	if len(data) < 4*headerWords {
		return nil, errors.New("xvfb: the screen's file is too short for its header")
	}
	for i := range header {
		header[i] = int(binary.BigEndian.Uint32(data[4*i:]))
	}
	if header[bitsPerPixel] != 32 {
		return nil, errors.New("xvfb: the screen has not 32 bits a pixel")
	}
	width, height, line := header[imageWidth], header[imageHeight], header[bytesPerLine]
	start := header[headerSize] + header[colours]*colourSize
	if width <= 0 || height <= 0 || line < 4*width || start < 0 || len(data) < start+line*height {
		return nil, errors.New("xvfb: the screen's file is shorter than its header says")
	}
	pixel := binary.LittleEndian.Uint32
	if header[byteOrder] == 1 {
		pixel = binary.BigEndian.Uint32
	}
	picture := image.NewRGBA(image.Rect(0, 0, width, height))
	var lit image.Rectangle
	for y := range height {
		for x := range width {
			v := pixel(data[start+y*line+4*x:])
			picture.SetRGBA(x, y, color.RGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 255})
			if v&0xffffff != 0 {
				lit = lit.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return picture.SubImage(lit).(*image.RGBA), nil
}

// Await waits until a picture of at least the given width and height, with at least so many colours, is on the screen,
// and returns it. It leaves it as a PNG file in the test's artifacts (go test -artifacts). If none comes within a
// minute, the test fails with what was there.
func (s *Screen) Await(t testing.TB, width, height, colours int) *image.RGBA {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		picture, err := s.Picture()
		if err != nil {
			t.Fatal(err)
		}
		size := picture.Rect.Size()
		if size.X >= width && size.Y >= height && Colours(picture) >= colours {
			keep(t, picture)
			return picture
		}
		if time.Now().After(deadline) {
			keep(t, picture)
			t.Fatalf("after a minute the screen shows %v in %d colours, want at least %dx%d in %d",
				size, Colours(picture), width, height, colours)
		}
	}
}

func keep(t testing.TB, picture *image.RGBA) {
	t.Helper()
	if picture.Rect.Empty() {
		return // which PNG cannot hold
	}
	dir := os.TempDir()
	if t, ok := t.(interface{ ArtifactDir() string }); ok { // since Go 1.26
		dir = t.ArtifactDir()
	}
	name := filepath.Join(dir, "screen.png")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, picture), f.Close()); err != nil {
		t.Fatal(err)
	}
	t.Logf("the screen: %s", name)
}

// Colours returns how many colours a picture has.
func Colours(picture *image.RGBA) int {
	seen := map[color.RGBA]bool{}
	for y := picture.Rect.Min.Y; y < picture.Rect.Max.Y; y++ {
		for x := picture.Rect.Min.X; x < picture.Rect.Max.X; x++ {
			seen[picture.RGBAAt(x, y)] = true
		}
	}
	return len(seen)
}
