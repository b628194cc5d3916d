module github.com/threadcall/threadcall/app/internal/sixminutes

go 1.26.0

replace (
	github.com/threadcall/threadcall => ../../..
	github.com/threadcall/threadcall/app => ../..
)

require (
	github.com/go-gl/gl v0.0.0-20231021071112-07e5d0ea2e71
	github.com/go-gl/glfw/v3.3/glfw v0.0.0-20260823155953-d41da22a9587
	github.com/threadcall/threadcall v0.0.0
	github.com/threadcall/threadcall/app v0.0.0
)

require golang.org/x/sys v0.49.0 // indirect
