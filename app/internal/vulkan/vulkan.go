// Package vulkan has what the tests of package app need of Vulkan, without its headers.
package vulkan

/*
#include <stdint.h>
#include <stdlib.h>

typedef void *(*loader)(void *, const char *);

typedef struct {
	int32_t type;
	const void *next;
	uint32_t flags;
	const void *application;
	uint32_t layers;
	const char *const *layerNames;
	uint32_t extensions;
	const char *const *extensionNames;
} instanceInfo;

static int create(loader load, const char **names, uint32_t n, void **instance) {
	int (*f)(const instanceInfo *, const void *, void **) = load(0, "vkCreateInstance");
	instanceInfo info = {1, 0, 0, 0, 0, 0, n, names};
	return f ? f(&info, 0, instance) : -1;
}

static void destroySurface(loader load, void *instance, uint64_t surface) {
	void (*f)(void *, uint64_t, const void *) = load(instance, "vkDestroySurfaceKHR");
	f(instance, surface, 0);
}

static void destroy(loader load, void *instance) {
	void (*f)(void *, const void *) = load(instance, "vkDestroyInstance");
	f(instance, 0);
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// An Instance is a VkInstance.
type Instance struct {
	Handle unsafe.Pointer
	load   C.loader
}

// New makes an instance with extensions.
func New(getInstanceProcAddr unsafe.Pointer, extensions []string) (*Instance, error) {
	names := (*[1 << 10]*C.char)(C.calloc(C.size_t(len(extensions)+1),
		C.size_t(unsafe.Sizeof(uintptr(0)))))
	defer C.free(unsafe.Pointer(names))
	for i, e := range extensions {
		names[i] = C.CString(e)
		defer C.free(unsafe.Pointer(names[i]))
	}
	i := &Instance{load: C.loader(getInstanceProcAddr)}
	var handle unsafe.Pointer
	if err := C.create(i.load, &names[0], C.uint32_t(len(extensions)), &handle); err != 0 {
		return nil, fmt.Errorf("vkCreateInstance: %d", err)
	}
	i.Handle = handle
	return i, nil
}

// DestroySurface destroys a surface.
func (i *Instance) DestroySurface(surface uint64) {
	C.destroySurface(i.load, i.Handle, C.uint64_t(surface))
}

// Destroy destroys the instance.
func (i *Instance) Destroy() { C.destroy(i.load, i.Handle) }
