module github.com/threadcall/threadcall/app

go 1.26.0

require (
	github.com/go-gl/gl v0.0.0-20231021071112-07e5d0ea2e71
	github.com/go-gl/glfw/v3.3/glfw v0.0.0-20260823155953-d41da22a9587
	github.com/jezek/xgb v1.1.1
	github.com/threadcall/threadcall v0.1.0
)
