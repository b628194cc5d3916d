package nativeloop

// newOwnLoop makes a message loop for the thread.
func newOwnLoop(serve func(rest func())) (own ownLoop, err error) {
	if own.native, err = attach(serve); err != nil {
		return own, err
	}
	turn, err := own.turner()
	own.turn = func() error {
		err := turn()
		if err == ErrQuit {
			removeMessage(0, quit) // there is no outer loop
		}
		return err
	}
	own.leave = func() {}
	return own, err
}
