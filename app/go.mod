module github.com/threadcall/threadcall/app

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/go-gl/gl v0.0.0-20231021071112-07e5d0ea2e71
	github.com/go-gl/glfw/v3.4/glfw v0.1.0-pre.1.0.20260707082822-2a407d02d01a
	github.com/jezek/xgb v1.1.1
	github.com/threadcall/threadcall v0.1.0
	github.com/threadcall/threadcall/nativeloop v0.1.0
)
