package nativeloop

import "unsafe"

var (
	getMessage       = user32.NewProc("GetMessageW")
	translateMessage = user32.NewProc("TranslateMessage")
	dispatchMessage  = user32.NewProc("DispatchMessageW")
)

// turner returns what waits for a message and handles it.
func (l *messageLoop) turner() (turn func() error, err error) {
	m := new(message) // not on a stack, which the callbacks of GetMessage may move
	return func() error {
		switch got, _, _ := getMessage.Call(uintptr(unsafe.Pointer(m)), 0, 0, 0); int32(got) {
		case 0:
			_, _, _ = postQuitMessage.Call(m.wParam) // for the outer loop
			return ErrQuit
		case -1:
			return nil
		}
		_, _, _ = translateMessage.Call(uintptr(unsafe.Pointer(m)))
		_, _, _ = dispatchMessage.Call(uintptr(unsafe.Pointer(m)))
		return nil
	}, nil
}
