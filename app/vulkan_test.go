package app_test

import (
	"errors"
	"runtime"
	"testing"
	"unsafe"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/internal/screen"
	"github.com/threadcall/threadcall/app/internal/vulkan"
)

// Surfaces of Vulkan are those that the instance knows, also after many of them and collections.
func TestWindow_VulkanSurface(t *testing.T) {
	begin(t)
	names, err := app.VulkanExtensions()
	if errors.Is(err, app.ErrNoVulkan) {
		t.Skip("NOT TESTED:", err)
	}
	screen.Must(t, err)
	load, err := app.VulkanProcAddr()
	screen.Must(t, err)
	instance, err := vulkan.New(load, names)
	if err != nil {
		t.Skip("NOT TESTED:", err)
	}
	defer instance.Destroy()
	w := open(t, app.NoOpenGL())
	for range 20 {
		surface, err := w.VulkanSurface(instance.Handle)
		screen.Must(t, err)
		runtime.GC()
		if surface == 0 {
			t.Fatal("no surface")
		}
		instance.DestroySurface(surface)
	}
	surface, err := w.VulkanSurface(instance.Handle)
	screen.Must(t, err)
	w.OnDestroy(func() { instance.DestroySurface(surface) })
	w.OnDraw(func(f *app.Frame) {
		if f.Number == 3 {
			w.Stop()
		}
	})
	w.Run()
	if _, err := w.VulkanSurface(instance.Handle); err != app.ErrClosed {
		t.Errorf("of a closed window: %v", err)
	}
}

func TestWindow_VulkanSurface_refused(t *testing.T) {
	if _, err := open(t, app.NoOpenGL()).VulkanSurface(nil); err == nil {
		t.Error("a surface of no instance")
	}
	var instance struct{}
	if _, err := open(t).VulkanSurface(unsafe.Pointer(&instance)); err == nil {
		t.Error("a surface of a window with OpenGL")
	}
	app.Terminate()
	if _, err := app.VulkanExtensions(); err != app.ErrNotInitialized {
		t.Errorf("VulkanExtensions after Terminate: %v", err)
	}
	if _, err := app.VulkanProcAddr(); err != app.ErrNotInitialized {
		t.Errorf("VulkanProcAddr after Terminate: %v", err)
	}
}
