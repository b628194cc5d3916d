// Package nsgl keeps the main thread of macOS from updating an OpenGL context during a frame.
//
// When a window is moved or resized, AppKit and GLFW send update to its NSOpenGLContext, on the
// main thread. If another thread uses the context at that moment, the process may crash (issue 1997
// of glfw/glfw). A lock around frame and update would let a frame that calls the main thread wait
// for ever. So for a context that has been given to Guard, update on the main thread only leaves a
// mark, and [Context.Update] has the main thread do it while the context's thread waits.
//
// The package has been compiled and vetted, and not tried. On other systems it does nothing.
package nsgl
