package main

/*
#cgo pkg-config: egl glesv2
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GLES2/gl2.h>

static const char *failed;

// headless returns the display that needs no screen, where EGL has one, or the default display.
static EGLDisplay headless(void) {
	EGLDisplay d = EGL_NO_DISPLAY;
	PFNEGLGETPLATFORMDISPLAYEXTPROC get = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
	if (get) d = get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
	if (d == EGL_NO_DISPLAY) d = eglGetDisplay(EGL_DEFAULT_DISPLAY);
	return d;
}

// The context is made by one thread and becomes current by use.
static int make(int size, EGLDisplay *d, EGLSurface *s, EGLContext *c) {
	static const EGLint config[] = {EGL_SURFACE_TYPE, EGL_PBUFFER_BIT,
		EGL_RENDERABLE_TYPE, EGL_OPENGL_ES2_BIT,
		EGL_RED_SIZE, 8, EGL_GREEN_SIZE, 8, EGL_BLUE_SIZE, 8, EGL_ALPHA_SIZE, 8, EGL_NONE};
	static const EGLint context[] = {EGL_CONTEXT_CLIENT_VERSION, 2, EGL_NONE};
	const EGLint surface[] = {EGL_WIDTH, size, EGL_HEIGHT, size, EGL_NONE};
	EGLConfig cfg;
	EGLint n = 0;
	*d = headless();
	failed = "eglInitialize";
	if (!eglInitialize(*d, NULL, NULL)) return 0;
	failed = "eglBindAPI";
	if (!eglBindAPI(EGL_OPENGL_ES_API)) return 0;
	failed = "eglChooseConfig";
	if (!eglChooseConfig(*d, config, &cfg, 1, &n) || n == 0) return 0;
	failed = "eglCreatePbufferSurface";
	if ((*s = eglCreatePbufferSurface(*d, cfg, surface)) == EGL_NO_SURFACE) return 0;
	failed = "eglCreateContext";
	return (*c = eglCreateContext(*d, cfg, EGL_NO_CONTEXT, context)) != EGL_NO_CONTEXT;
}

static const char *why(void) { return failed; }

// paint fills the picture with a colour and returns the pixel at its centre.
static unsigned paint(int size, unsigned rgb) {
	unsigned char rgba[4];
	glClearColor((rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0, (rgb & 255) / 255.0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glReadPixels(size / 2, size / 2, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
	return rgba[0] << 16 | rgba[1] << 8 | rgba[2];
}
*/
import "C"

import "fmt"

// size is the width and the height of the picture.
const size = 64

// A canvas is an OpenGL ES context that draws into memory. It can be current on one thread at a
// time, and functions of OpenGL draw into the one that is current on their thread.
type canvas struct {
	display C.EGLDisplay
	surface C.EGLSurface
	context C.EGLContext
}

// open makes a canvas and leaves it current on the calling thread.
func open() (*canvas, error) {
	c := new(canvas)
	if C.make(size, &c.display, &c.surface, &c.context) == 0 {
		return nil, fmt.Errorf("%s: error %#x", C.GoString(C.why()), C.eglGetError())
	}
	if C.eglMakeCurrent(c.display, c.surface, c.surface, c.context) == C.EGL_FALSE {
		return nil, fmt.Errorf("eglMakeCurrent: error %#x", C.eglGetError())
	}
	return c, nil
}

// close frees c, which is current on the calling thread.
func (c *canvas) close() {
	C.eglMakeCurrent(c.display, nil, nil, nil)
	C.eglDestroyContext(c.display, c.context)
	C.eglDestroySurface(c.display, c.surface)
	C.eglReleaseThread()
}

// paint fills the picture with a colour, and reports whether it is there then.
func (c *canvas) paint(rgb uint32) bool {
	return uint32(C.paint(size, C.uint(rgb))) == rgb
}

// current reports whether c is current on the calling thread.
func (c *canvas) current() bool { return C.eglGetCurrentContext() == c.context }
