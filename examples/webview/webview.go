package main

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <gtk/gtk.h>
#include <webkit2/webkit2.h>

extern void loaded(void);

static void onLoad(WebKitWebView *v, WebKitLoadEvent e, gpointer p) {
	if (e == WEBKIT_LOAD_FINISHED) loaded();
}

// Only the thread that has called start may call what follows.
static GtkWidget *window, *view;

static int start(const char *html) {
	if (!gtk_init_check(NULL, NULL)) return 0;
	window = gtk_window_new(GTK_WINDOW_TOPLEVEL);
	view = webkit_web_view_new();
	gtk_window_set_default_size(GTK_WINDOW(window), 480, 200);
	gtk_container_add(GTK_CONTAINER(window), view);
	g_signal_connect(window, "destroy", G_CALLBACK(gtk_main_quit), NULL);
	g_signal_connect(view, "load-changed", G_CALLBACK(onLoad), NULL);
	webkit_web_view_load_html(WEBKIT_WEB_VIEW(view), html, NULL);
	gtk_widget_show_all(window);
	return 1;
}

static void end(void) { gtk_widget_destroy(window); }

static void eval(const char *script) {
	webkit_web_view_evaluate_javascript(WEBKIT_WEB_VIEW(view), script, -1, NULL, NULL, NULL,
		NULL, NULL);
}

static const char *title(void) { return webkit_web_view_get_title(WEBKIT_WEB_VIEW(view)); }
*/
import "C"

import (
	"errors"
	"unsafe"
)

// A view is a window with a web page. Its methods may be called on the main thread only.
type view struct{}

// onLoaded is called, on the main thread, when a page has been loaded.
var onLoaded func()

// open makes the window.
func open(html string) (view, error) {
	text := C.CString(html)
	defer C.free(unsafe.Pointer(text))
	if C.start(text) == 0 {
		return view{}, errors.New("GTK cannot open the display")
	}
	return view{}, nil
}

// run is the event loop. It returns when the window has been closed.
func (view) run() { C.gtk_main() }

func (view) close() { C.end() }

// eval has the page run a script, some time later: the page is in another process.
func (view) eval(script string) {
	text := C.CString(script)
	defer C.free(unsafe.Pointer(text))
	C.eval(text)
}

// title returns the title that the page has given itself.
func (view) title() string { return C.GoString(C.title()) }

//export loaded
func loaded() { onLoaded() }
