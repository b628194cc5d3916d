//go:build linux && (amd64 || arm64)

package main

import (
	"bytes"
	"fmt"
	"unsafe"

	"github.com/ebitengine/purego"
)

// The functions of CUDA's driver API that the example uses. Each belongs to the context that is
// current on the thread of the operating system that calls it.
var cuda struct {
	initialize, deviceGet, deviceGetName,
	ctxCreate, ctxSetCurrent, ctxDestroy,
	moduleLoadData, moduleGetFunction, launchKernel,
	memAlloc, memFree, memcpyDtoH, memsetD32 uintptr
}

// openDriver loads the driver's library.
func openDriver() error {
	library, err := purego.Dlopen("libcuda.so.1", purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return err
	}
	for name, f := range map[string]*uintptr{
		"cuInit": &cuda.initialize, "cuDeviceGet": &cuda.deviceGet,
		"cuDeviceGetName": &cuda.deviceGetName, "cuCtxCreate_v2": &cuda.ctxCreate,
		"cuCtxSetCurrent": &cuda.ctxSetCurrent, "cuCtxDestroy_v2": &cuda.ctxDestroy,
		"cuModuleLoadData": &cuda.moduleLoadData, "cuModuleGetFunction": &cuda.moduleGetFunction,
		"cuLaunchKernel": &cuda.launchKernel, "cuMemAlloc_v2": &cuda.memAlloc,
		"cuMemFree_v2": &cuda.memFree, "cuMemcpyDtoH_v2": &cuda.memcpyDtoH,
		"cuMemsetD32_v2": &cuda.memsetD32,
	} {
		if *f, err = purego.Dlsym(library, name); err != nil {
			return err
		}
	}
	return nil
}

// call calls a function of the driver.
func call(what string, f uintptr, args ...uintptr) error {
	if status, _, _ := purego.SyscallN(f, args...); int32(status) != 0 {
		return fmt.Errorf("cuda: %s: error %d", what, int32(status))
	}
	return nil
}

// The kernel adds v to each of four numbers.
var source = []byte(`
.version 6.0
.target sm_50
.address_size 64
.visible .entry add(.param .u64 p, .param .u32 v) {
	.reg .b32 %r<4>;
	.reg .b64 %rd<4>;
	ld.param.u64 %rd1, [p];
	ld.param.u32 %r3, [v];
	cvta.to.global.u64 %rd2, %rd1;
	mov.u32 %r1, %tid.x;
	mul.wide.u32 %rd3, %r1, 4;
	add.s64 %rd2, %rd2, %rd3;
	ld.global.u32 %r2, [%rd2];
	add.u32 %r2, %r2, %r3;
	st.global.u32 [%rd2], %r2;
	ret;
}` + "\x00")

var entry = []byte("add\x00")

// A gpu is a context with the kernel. The driver writes to it, so it is on the heap, where nothing
// moves.
type gpu struct {
	device                  int32
	label                   [100]byte
	context, module, kernel uintptr
}

// openGPU makes a context of the first GPU, which is current on the calling thread.
func openGPU() (*gpu, error) {
	g := new(gpu)
	for _, step := range []func() error{
		func() error { return call("cuInit", cuda.initialize, 0) },
		func() error { return call("cuDeviceGet", cuda.deviceGet, address(&g.device), 0) },
		func() error {
			return call("cuDeviceGetName", cuda.deviceGetName, address(&g.label[0]),
				uintptr(len(g.label)-1), uintptr(g.device))
		},
		func() error {
			return call("cuCtxCreate", cuda.ctxCreate, address(&g.context), 0, uintptr(g.device))
		},
		func() error {
			return call("cuModuleLoadData", cuda.moduleLoadData, address(&g.module), address(&source[0]))
		},
		func() error {
			return call("cuModuleGetFunction", cuda.moduleGetFunction, address(&g.kernel), g.module,
				address(&entry[0]))
		},
	} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *gpu) name() string { return string(bytes.TrimRight(g.label[:], "\x00")) }

func address[T any](p *T) uintptr { return uintptr(unsafe.Pointer(p)) }

// use makes the context current on the calling thread.
func (g *gpu) use() error { return call("cuCtxSetCurrent", cuda.ctxSetCurrent, g.context) }

func (g *gpu) close() error { return call("cuCtxDestroy", cuda.ctxDestroy, g.context) }

// numbers are four numbers in the memory of the GPU, and what the functions pass to the driver. All
// that the driver reads or writes is in one object of the heap, which does not move.
type numbers struct {
	gpu     *gpu
	pointer uintptr
	one     uint32
	read    [4]uint32
	params  [2]uintptr // where pointer and one are
}

func (g *gpu) numbers() (*numbers, error) {
	n := &numbers{gpu: g, one: 1}
	n.params = [2]uintptr{address(&n.pointer), address(&n.one)}
	return n, call("cuMemAlloc", cuda.memAlloc, address(&n.pointer), unsafe.Sizeof(n.read))
}

func (n *numbers) clear() error {
	return call("cuMemsetD32", cuda.memsetD32, n.pointer, 0, uintptr(len(n.read)))
}

// launch has the GPU add one to each number, and does not wait for that.
func (n *numbers) launch() error {
	return call("cuLaunchKernel", cuda.launchKernel, n.gpu.kernel, 1, 1, 1, uintptr(len(n.read)), 1, 1,
		0, 0, address(&n.params[0]), 0)
}

// fetch waits for the GPU and reads the numbers.
func (n *numbers) fetch() error {
	return call("cuMemcpyDtoH", cuda.memcpyDtoH, address(&n.read[0]), n.pointer, unsafe.Sizeof(n.read))
}

func (n *numbers) free() error { return call("cuMemFree", cuda.memFree, n.pointer) }
