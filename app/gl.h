// What gl.go calls, by the addresses of the functions of OpenGL.

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
