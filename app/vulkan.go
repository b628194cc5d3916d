package app

import (
	"errors"
	"fmt"
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// ErrNoVulkan is wrapped by the errors that report that the system has no Vulkan, or none that can
// draw into windows.
var ErrNoVulkan = errors.New("no Vulkan")

// VulkanProcAddr returns the address of the function vkGetInstanceProcAddr, from which bindings of
// Vulkan find all others, or an error if the system has no Vulkan.
func VulkanProcAddr() (address unsafe.Pointer, err error) {
	none := noVulkan()
	if down := onMain(func() {
		if glfw.VulkanSupported() {
			address, none = glfw.GetVulkanGetInstanceProcAddress(), nil
		}
	}); down != nil {
		return nil, down
	}
	return address, none
}

// VulkanExtensions returns the names of the extensions that an instance of Vulkan needs for
// [Win.VulkanSurface].
func VulkanExtensions() (names []string, err error) {
	if err := onMain(func() {
		names = (*glfw.Window)(nil).GetRequiredInstanceExtensions()
	}); err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, noVulkan()
	}
	return names, nil
}

func noVulkan() error {
	advice := "install a driver for the graphics card that has it"
	if usesX11() {
		advice += ", or Mesa's (Debian packages libvulkan1 and mesa-vulkan-drivers)"
	}
	return fmt.Errorf("app: %w: %s", ErrNoVulkan, advice)
}

// VulkanSurface makes a surface for a window made with [NoOpenGL]. The instance is a VkInstance
// with the extensions that [VulkanExtensions] returns, and the surface a VkSurfaceKHR. The program
// destroys it before the window closes: in the last frame, or after Stop and before Run returns, on
// the window's thread.
func (w *Win) VulkanSurface(instance unsafe.Pointer) (surface uint64, err error) {
	switch {
	case instance == nil:
		return 0, errors.New("app: VulkanSurface(nil); it needs a VkInstance")
	case !w.opts.noOpenGL:
		return 0, errors.New("app: VulkanSurface of a window that was not made with NoOpenGL")
	}
	if gone := w.do(func() {
		var address uintptr
		if address, err = w.win.CreateWindowSurface((*byte)(instance), nil); err == nil {
			// The binding returns the address of its variable, which no pointer refers to any more:
			// nothing must be called before it is read.
			surface = **(**uint64)(unsafe.Pointer(&address))
		}
	}); gone != nil {
		return 0, gone
	}
	if err != nil {
		return 0, fmt.Errorf("app: %w", err)
	}
	return surface, nil
}
