// As in X11/Xlib.h.
int XConnectionNumber(void *display);
int XEventsQueued(void *display, int mode);
unsigned long XDefaultRootWindow(void *display);
unsigned long XCreateSimpleWindow(void *display, unsigned long parent, int x, int y,
	unsigned int width, unsigned int height, unsigned int border, unsigned long borderPixel,
	unsigned long background);
int XSelectInput(void *display, unsigned long window, long mask);
int XChangeProperty(void *display, unsigned long window, unsigned long property,
	unsigned long type, int format, int mode, const unsigned char *data, int n);
int XFlush(void *display);

static unsigned long newWindow(void *display) {
	unsigned long root = XDefaultRootWindow(display);
	unsigned long w = XCreateSimpleWindow(display, root, 0, 0, 1, 1, 0, 0, 0);
	XSelectInput(display, w, 1L << 22); // PropertyChangeMask
	return w;
}

// change has the server send an event.
static void change(void *display, unsigned long window) {
	// XA_STRING, PropModeReplace
	XChangeProperty(display, window, 31, 31, 8, 0, (const unsigned char *)"", 0);
	XFlush(display);
}
