module github.com/threadcall/threadcall/examples/ebitengine

go 1.26.0

replace (
	github.com/threadcall/threadcall => ../../
	github.com/threadcall/threadcall/examples => ../
)

require (
	github.com/hajimehoshi/ebiten/v2 v2.10.2
	github.com/threadcall/threadcall v0.0.0
	github.com/threadcall/threadcall/examples v0.0.0
)

require (
	github.com/ebitengine/gomobile v0.0.0-20260820040257-d11f821a26a6 // indirect
	github.com/ebitengine/hideconsole v1.0.0 // indirect
	github.com/ebitengine/purego v0.11.0 // indirect
	golang.org/x/sync v0.22.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
