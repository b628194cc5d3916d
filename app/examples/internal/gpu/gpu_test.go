package gpu_test

import (
	"image"
	"image/color"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
	"github.com/threadcall/threadcall/internal/testutil/xvfb"
	"github.com/threadcall/threadcall/mainthread"
)

func TestMain(m *testing.M) {
	status := 1
	mainthread.Init(func() { status = m.Run() })
	os.Exit(status)
}

// window opens one on a screen in memory.
func window(t *testing.T) *app.Win {
	t.Helper()
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		t.Skip("it would open windows on the screen of whoever runs it")
	}
	xvfb.Start(t)
	if err := app.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(app.Terminate)
	w, err := app.NewWindow(app.Size(80, 60), app.OnDemand())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func TestWhatIsWrongWithAShaderIsSaid(t *testing.T) {
	w := window(t)
	const good = "#version 330 core\nvoid main() {}"
	const bad = "#version 330 core\nvoid main() { nonsense; }"
	w.Thread().Call(func() {
		if _, err := gpu.Program(good, good); err != nil {
			t.Error(err)
		}
		if _, err := gpu.Program(good, bad); err == nil || !strings.Contains(err.Error(), "nonsense") {
			t.Errorf("the error is %v", err)
		}
		if _, err := gpu.Program("#version 330 core\nvoid f(); void main() { f(); }", good); err == nil ||
			!strings.HasPrefix(err.Error(), "linking") {
			t.Errorf("the error is %v", err)
		}
	})
}

func TestAPictureIsDrawnUpright(t *testing.T) {
	w := window(t)
	colours := []color.RGBA{{255, 0, 0, 255}, {0, 255, 0, 255}, {0, 0, 255, 255}, {255, 255, 0, 255}}
	m := image.NewRGBA(image.Rect(0, 0, 2, 2))
	for i, c := range colours[:3] {
		m.SetRGBA(i%2, i/2, c)
	}
	patch := image.NewRGBA(image.Rect(1, 1, 2, 2))
	patch.SetRGBA(1, 1, colours[3])
	var p *gpu.Picture
	var err error
	w.Thread().Call(func() {
		if p, err = gpu.NewPicture(false); err == nil {
			p.Upload(m)
			p.Patch(patch)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	w.OnDraw(func(f *app.Frame) {
		gl.Clear(gl.COLOR_BUFFER_BIT)
		p.Draw(80, 60, 20, 10, 40, 40) // quarters of 20 by 20, from (20, 10)
	})
	var shown *image.NRGBA
	go func() {
		defer w.Stop()
		shown, err = w.Screenshot()
	}()
	w.Run()
	if err != nil {
		t.Fatal(err)
	}
	black := color.RGBA{A: 255}
	for at, want := range map[image.Point]color.RGBA{
		{30, 20}: colours[0], {50, 20}: colours[1], {30, 40}: colours[2], {50, 40}: colours[3],
		{10, 30}: black, {70, 30}: black, {40, 5}: black, {40, 55}: black,
	} {
		if c := shown.NRGBAAt(at.X, at.Y); color.RGBA(c) != want {
			t.Errorf("at %v there is %v, not %v", at, c, want)
		}
	}
}
