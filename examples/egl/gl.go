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

// setup compiles the shaders and leaves a triangle, whose colour is a uniform, ready to be drawn.
// It returns that uniform.
static int setup(void) {
	static const char *vertex =
		"attribute vec2 at; void main() { gl_Position = vec4(at, 0.0, 1.0); }";
	static const char *fragment = "precision mediump float; uniform vec4 colour;"
		"void main() { gl_FragColor = colour; }";
	static const GLfloat corners[] = {-1, -1, 1, -1, 0, 1};
	GLuint p = glCreateProgram();
	GLuint v = glCreateShader(GL_VERTEX_SHADER), f = glCreateShader(GL_FRAGMENT_SHADER);
	GLint ok;
	glShaderSource(v, 1, &vertex, NULL);
	glCompileShader(v);
	glAttachShader(p, v);
	glShaderSource(f, 1, &fragment, NULL);
	glCompileShader(f);
	glAttachShader(p, f);
	glBindAttribLocation(p, 0, "at");
	glLinkProgram(p);
	glGetProgramiv(p, GL_LINK_STATUS, &ok);
	if (!ok) return -1;
	glUseProgram(p);
	glVertexAttribPointer(0, 2, GL_FLOAT, GL_FALSE, 0, corners);
	glEnableVertexAttribArray(0);
	return glGetUniformLocation(p, "colour");
}

static unsigned pixel(int x, int y) {
	unsigned char rgba[4];
	glReadPixels(x, y, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, rgba);
	return rgba[0] << 16 | rgba[1] << 8 | rgba[2];
}

// tint sets the colour and returns whether context is current.
static int tint(EGLContext context, int uniform, unsigned rgb) {
	glUniform4f(uniform, (rgb >> 16 & 255) / 255.0, (rgb >> 8 & 255) / 255.0,
		(rgb & 255) / 255.0, 1);
	return eglGetCurrentContext() == context;
}

// draw returns the pixel at the centre and one beside the triangle.
static void draw(int size, unsigned *centre, unsigned *corner) {
	glClearColor(0, 0, 0, 1);
	glClear(GL_COLOR_BUFFER_BIT);
	glDrawArrays(GL_TRIANGLES, 0, 3);
	*centre = pixel(size / 2, size / 2);
	*corner = pixel(0, size - 1);
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
	colour  C.int
	centre  C.uint
	corner  C.uint
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
	if c.colour = C.setup(); c.colour < 0 {
		return nil, fmt.Errorf("the shaders do not compile")
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

// triangle draws a triangle of a colour, reads it back, and reports whether it is there.
func (c *canvas) triangle(rgb uint32) bool {
	if !c.tint(rgb) {
		return false
	}
	C.draw(size, &c.centre, &c.corner)
	return uint32(c.centre) == rgb && c.corner == 0
}

// tint sets the colour of the next triangle, and reports whether c is current on the calling
// thread.
func (c *canvas) tint(rgb uint32) bool {
	return C.tint(c.context, c.colour, C.uint(rgb)) != 0
}
