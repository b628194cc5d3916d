module github.com/threadcall/threadcall/examples

go 1.26.0

replace github.com/threadcall/threadcall => ../

require github.com/threadcall/threadcall v0.0.0
