#include "textflag.h"

// func Pause()
//
// YIELD does nothing on most cores. ISB takes some 10 to 40 ns, and is what the Go runtime uses.
TEXT ·Pause(SB), NOSPLIT, $0-0
	ISB	$15
	RET
