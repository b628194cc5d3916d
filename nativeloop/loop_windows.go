package nativeloop

func attach(serve func()) (loop, error) { return nil, ErrNoLoop }
