module github.com/threadcall/threadcall/examples/sdl

go 1.26.0

replace (
	github.com/threadcall/threadcall => ../../
	github.com/threadcall/threadcall/examples => ../
)

require (
	github.com/ebitengine/purego v0.11.0
	github.com/threadcall/threadcall v0.0.0
	github.com/threadcall/threadcall/examples v0.0.0
	github.com/veandco/go-sdl2 v0.4.39
)
