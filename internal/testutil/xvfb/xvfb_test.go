package xvfb

import (
	"encoding/binary"
	"image"
	"image/color"
	"net"
	"os"
	"runtime"
	"testing"
)

func TestStartGivesABlackScreen(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("where an X server listens is for Linux")
	}
	screen := Start(t)
	c, err := net.Dial("unix", "/tmp/.X11-unix/X"+os.Getenv("DISPLAY")[1:])
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	picture, err := screen.Picture()
	if err != nil {
		t.Fatal(err)
	}
	if !picture.Rect.Empty() {
		t.Errorf("there is something at %v", picture.Rect)
	}
}

// screenFile is the file of a black screen of 4 by 3 pixels.
func screenFile(order binary.ByteOrder) (data, pixels []byte) {
	const name, padding = 8, 4
	data = make([]byte, 4*headerWords+name+2*colourSize+3*(4*4+padding))
	for i, v := range map[int]uint32{
		headerSize: 4*headerWords + name, imageWidth: 4, imageHeight: 3, bytesPerLine: 4*4 + padding, bitsPerPixel: 32, colours: 2,
	} {
		binary.BigEndian.PutUint32(data[4*i:], v)
	}
	if order == binary.BigEndian {
		binary.BigEndian.PutUint32(data[4*byteOrder:], 1)
	}
	return data, data[len(data)-3*(4*4+padding):]
}

func TestPictureIsCutToWhatIsLit(t *testing.T) {
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		data, pixels := screenFile(order)
		order.PutUint32(pixels[20+4*1:], 0x010203) // 1, 1
		order.PutUint32(pixels[20+4*2:], 0xff8000) // 2, 1
		picture, err := parse(data)
		if err != nil {
			t.Fatal(err)
		}
		if want := image.Rect(1, 1, 3, 2); picture.Rect != want {
			t.Errorf("%v: the picture is %v, want %v", order, picture.Rect, want)
		}
		if got, want := picture.RGBAAt(2, 1), (color.RGBA{255, 128, 0, 255}); got != want {
			t.Errorf("%v: the pixel is %v, want %v", order, got, want)
		}
		if n := Colours(picture); n != 2 {
			t.Errorf("%v: %d colours, want 2", order, n)
		}
	}
}

func TestFilesThatAreNoScreensAreRefused(t *testing.T) {
	whole, _ := screenFile(binary.LittleEndian)
	for n := range len(whole) {
		if _, err := parse(whole[:n]); err == nil {
			t.Fatalf("%d bytes of %d were taken for a screen", n, len(whole))
		}
	}
	deep, _ := screenFile(binary.LittleEndian)
	binary.BigEndian.PutUint32(deep[4*bitsPerPixel:], 8)
	if _, err := parse(deep); err == nil {
		t.Error("a screen of 8 bits a pixel was taken")
	}
}
