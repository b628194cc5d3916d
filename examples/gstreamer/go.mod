module github.com/threadcall/threadcall/examples/gstreamer

go 1.26.0

replace (
	github.com/threadcall/threadcall => ../../
	github.com/threadcall/threadcall/examples => ../
	github.com/threadcall/threadcall/nativeloop => ../../nativeloop
)

require (
	github.com/ebitengine/purego v0.11.3
	github.com/threadcall/threadcall v0.1.0
	github.com/threadcall/threadcall/examples v0.0.0
	github.com/threadcall/threadcall/nativeloop v0.1.0
)
