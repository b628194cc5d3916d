package needs_a_C_compiler

// #cgo linux,wayland,!x11 CFLAGS: -DNO_X11
// #cgo linux,x11,!wayland CFLAGS: -DNO_WAYLAND
// #include "headers.h"
import "C"
