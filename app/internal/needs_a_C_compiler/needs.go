//go:build cgo

// Package needs_a_C_compiler does nothing but to fail where package app cannot be compiled. Without
// cgo, the go command names it in its error; otherwise it would name only the bindings of GLFW and
// OpenGL. With cgo, it reports in one line which headers are missing, which GLFW does in hundreds.
//
// A file without a build constraint, a test for example, would end that: the go command would not
// name the package.
package needs_a_C_compiler
