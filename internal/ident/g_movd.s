//go:build !threadcall_noasm && (arm64 || ppc64 || ppc64le || s390x || wasm)

#include "textflag.h"

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVD g, ret+0(FP)
	RET
