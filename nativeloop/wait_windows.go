package nativeloop

import "unsafe"

var (
	getMessage       = user32.NewProc("GetMessageW")
	translateMessage = user32.NewProc("TranslateMessage")
	dispatchMessage  = user32.NewProc("DispatchMessageW")
)

// turner returns what waits for a message and handles it.
func (l *messageLoop) turner() (turn func() error, err error) {
	return func() error {
		var m struct {
			window         uintptr
			message        uint32
			wParam, lParam uintptr
			time           uint32
			x, y           int32
			private        uint32
		}
		message := uintptr(unsafe.Pointer(&m))
		switch got, _, _ := getMessage.Call(message, 0, 0, 0); int32(got) {
		case 0:
			_, _, _ = postQuitMessage.Call(m.wParam) // for the outer loop
			return ErrQuit
		case -1:
			return nil
		}
		_, _, _ = translateMessage.Call(message)
		_, _, _ = dispatchMessage.Call(message)
		return nil
	}, nil
}
