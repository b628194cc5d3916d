//go:build !threadcall_noasm && (loong64 || mips64 || mips64le)

#include "textflag.h"

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-8
	MOVV g, ret+0(FP)
	RET
