//go:build !threadcall_noasm && (arm || mips || mipsle)

#include "textflag.h"

// func getg() unsafe.Pointer
TEXT ·getg(SB), NOSPLIT, $0-4
	MOVW g, ret+0(FP)
	RET
