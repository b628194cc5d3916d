package app

/*
#ifdef _WIN32
#define API __stdcall
#else
#define API
#endif

enum { VIEWPORT, CLEAR, GET, STORE, READ, READ_FROM, BIND_FRAMEBUFFER, BIND_BUFFER };

static void viewport(void **f, int width, int height) {
	((void (API *)(int, int, int, int))f[VIEWPORT])(0, 0, width, height);
}

static void clear(void **f) { ((void (API *)(unsigned))f[CLEAR])(0x4000); }

// picture reads the window's pixels, whatever the program has bound, and restores what was bound.
// OpenGL before 3.0 and OpenGL ES 2 have PACK_ALIGNMENT alone of what picture changes.
static void picture(void **f, _Bool all, int width, int height, void *pixels) {
	enum { PACK_ALIGNMENT = 0xd05, PACK_ROW_LENGTH = 0xd02, PACK_SKIP_ROWS = 0xd03,
		PACK_SKIP_PIXELS = 0xd04, READ_FRAMEBUFFER = 0x8ca8, READ_FRAMEBUFFER_BINDING = 0x8caa,
		READ_BUFFER = 0xc02, BACK = 0x405, PIXEL_PACK_BUFFER = 0x88eb,
		PIXEL_PACK_BUFFER_BINDING = 0x88ed, RGBA = 0x1908, UNSIGNED_BYTE = 0x1401 };
	static const unsigned stores[] = {PACK_ALIGNMENT, PACK_ROW_LENGTH, PACK_SKIP_ROWS,
		PACK_SKIP_PIXELS};
	void (API *get)(unsigned, int *) = f[GET];
	void (API *store)(unsigned, int) = f[STORE];
	void (API *read)(int, int, int, int, unsigned, unsigned, void *) = f[READ];
	void (API *readFrom)(unsigned) = f[READ_FROM];
	void (API *bindFramebuffer)(unsigned, unsigned) = f[BIND_FRAMEBUFFER];
	void (API *bindBuffer)(unsigned, unsigned) = f[BIND_BUFFER];
	int stored[4], framebuffer, from, buffer, n = all ? 4 : 1;
	for (int i = 0; i < n; i++) {
		get(stores[i], &stored[i]);
		store(stores[i], i == 0);
	}
	if (all) {
		get(READ_FRAMEBUFFER_BINDING, &framebuffer);
		bindFramebuffer(READ_FRAMEBUFFER, 0);
		get(READ_BUFFER, &from);
		readFrom(BACK);
		get(PIXEL_PACK_BUFFER_BINDING, &buffer);
		bindBuffer(PIXEL_PACK_BUFFER, 0);
	}
	read(0, 0, width, height, RGBA, UNSIGNED_BYTE, pixels);
	if (all) {
		bindBuffer(PIXEL_PACK_BUFFER, buffer);
		readFrom(from);
		bindFramebuffer(READ_FRAMEBUFFER, framebuffer);
	}
	for (int i = 0; i < n; i++) store(stores[i], stored[i]);
}
*/
import "C"

import (
	"fmt"
	"image"
	"sync"
	"unsafe"

	"github.com/go-gl/glfw/v3.4/glfw"
)

// glNames are the functions of OpenGL that the package calls, in the order of C's enum.
var glNames = [...]string{"glViewport", "glClear", "glGetIntegerv", "glPixelStorei", "glReadPixels",
	"glReadBuffer", "glBindFramebuffer", "glBindBuffer"}

// glFunctions are those of a window's context. The package looks them up by itself, so that it does
// not depend on the program's binding.
type glFunctions struct {
	at  [len(glNames)]unsafe.Pointer
	all bool // the context has what reading pixels may need
}

// loaded has the functions of the program that have loaded a binding, by their addresses: that of a
// function without variables is always the same, and each closure has one of its own.
var loaded struct {
	mu        sync.Mutex // held until the binding has been loaded
	functions map[unsafe.Pointer]func() error
}

// load finds the package's functions and the program's. It runs on the window's thread.
func (g *glFunctions) load(a api) error {
	for i, name := range glNames {
		if g.at[i] = glfw.GetProcAddress(name); g.at[i] == nil && (g.all || i < C.READ_FROM) {
			return windowError(&glfw.Error{Code: glfw.APIUnavailable, Desc: "no " + name}, a)
		}
	}
	if a.load == nil {
		return nil
	}
	loaded.mu.Lock()
	defer loaded.mu.Unlock()
	f := *(*unsafe.Pointer)(unsafe.Pointer(&a.load))
	if loaded.functions[f] != nil {
		return nil
	}
	if err := a.load(); err != nil {
		return fmt.Errorf("app: loading the program's binding: %w", err)
	}
	if loaded.functions == nil {
		loaded.functions = map[unsafe.Pointer]func() error{}
	}
	loaded.functions[f] = a.load
	return nil
}

func (g *glFunctions) viewport(width, height int) {
	C.viewport(&g.at[0], C.int(width), C.int(height))
}

func (g *glFunctions) clear() { C.clear(&g.at[0]) }

// picture reads back the frame that has just been drawn.
func (g *glFunctions) picture(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	if width*height == 0 {
		return p
	}
	read := make([]uint8, len(p.Pix))
	C.picture(&g.at[0], C._Bool(g.all), C.int(width), C.int(height), unsafe.Pointer(&read[0]))
	for y := range height { // OpenGL begins with the lowest row
		copy(p.Pix[y*p.Stride:], read[(height-1-y)*p.Stride:][:p.Stride])
	}
	for i := 3; i < len(p.Pix); i += 4 {
		p.Pix[i] = 255 // opaque
	}
	return p
}
