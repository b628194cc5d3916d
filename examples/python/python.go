package main

/*
#cgo pkg-config: python3-embed
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <stdlib.h>

static PyThreadState *begin(const char *code) {
	Py_InitializeEx(0); // 0: the signals stay with Go
	if (PyRun_SimpleString(code) != 0) {
		Py_FinalizeEx();
		return NULL;
	}
	return PyEval_SaveThread();
}

static int end(PyThreadState *state) {
	PyEval_RestoreThread(state);
	return Py_FinalizeEx();
}

// call calls a function of an int that returns one. The caller has the GIL.
static int call(const char *name, long arg, long *result) {
	PyObject *f = PyObject_GetAttrString(PyImport_AddModule("__main__"), name);
	PyObject *r = f ? PyObject_CallFunction(f, "l", arg) : NULL;
	if (r) *result = PyLong_AsLong(r);
	Py_XDECREF(r);
	Py_XDECREF(f);
	if (PyErr_Occurred() == NULL) return 1;
	PyErr_Print();
	return 0;
}

static int callWith(PyThreadState *state, const char *name, long arg, long *result) {
	PyEval_RestoreThread(state);
	int ok = call(name, arg, result);
	PyEval_SaveThread();
	return ok;
}
*/
import "C"

import (
	"cmp"
	"context"
	"errors"
	"unsafe"

	"github.com/threadcall/threadcall/thread"
)

// An interpreter is CPython on a thread of its own, which is Python's main thread: the one that may
// finalize it, and that has its thread state, with all that Python code keeps by thread, from the
// first call to the last. Between calls the thread does not have the GIL, so threads that Python
// code starts can run.
type interpreter struct {
	thread *thread.Thread
	state  *C.PyThreadState
}

var errPython = errors.New("an exception, see standard error")

// start runs code in a new interpreter. There can be one at a time.
func start(code string) (*interpreter, error) {
	py := new(interpreter)
	begin := func() error {
		c := C.CString(code)
		defer C.free(unsafe.Pointer(c))
		if py.state = C.begin(c); py.state == nil {
			return errPython
		}
		return nil
	}
	var err error
	py.thread, err = thread.Start(
		thread.WithName("python"),
		thread.WithStart(begin),
		thread.WithStop(func() { C.end(py.state) }),
	)
	return py, err
}

// A function is one of Python that takes an int and returns one. Any goroutine may call it.
type function func(arg int) (int, error)

// function returns the function of that name in module __main__.
func (py *interpreter) function(name string) function {
	c := C.CString(name) // for ever
	call := func(arg int) (int, error) {
		var result C.long
		if C.callWith(py.state, c, C.long(arg), &result) == 0 {
			return 0, errPython
		}
		return int(result), nil
	}
	return func(arg int) (result int, err error) {
		ended := py.thread.CallContext(context.Background(), func() { result, err = call(arg) })
		return result, cmp.Or(ended, err)
	}
}
