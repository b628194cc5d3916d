#ifndef NO_X11
#if !__has_include(<X11/Xlib.h>) || !__has_include(<X11/Xcursor/Xcursor.h>) || \
	!__has_include(<X11/extensions/Xrandr.h>) || \
	!__has_include(<X11/extensions/Xinerama.h>) || !__has_include(<X11/extensions/XInput2.h>) || \
	!__has_include(<X11/extensions/xf86vmode.h>)
#error "package app needs the headers of X11 (Debian: xorg-dev); see app/README.md"
#endif
#endif

#ifndef NO_WAYLAND
#if !__has_include(<wayland-client-core.h>) || !__has_include(<xkbcommon/xkbcommon.h>)
#error "package app needs the headers of Wayland (libwayland-dev libxkbcommon-dev) or -tags x11"
#endif
#endif
