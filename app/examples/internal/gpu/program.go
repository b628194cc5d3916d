// Package gpu has what the examples need of OpenGL. Everything in it must be called on a window's thread.
package gpu

import (
	"fmt"
	"strings"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// Program compiles and links a vertex and a fragment shader.
func Program(vertex, fragment string) (uint32, error) {
	program := gl.CreateProgram()
	for _, s := range []struct {
		kind   uint32
		source string
	}{{gl.VERTEX_SHADER, vertex}, {gl.FRAGMENT_SHADER, fragment}} {
		shader, err := compile(s.kind, s.source)
		if err != nil {
			gl.DeleteProgram(program)
			return 0, err
		}
		gl.AttachShader(program, shader)
		gl.DeleteShader(shader) // goes with the program
	}
	gl.LinkProgram(program)
	var ok int32
	if gl.GetProgramiv(program, gl.LINK_STATUS, &ok); ok == gl.FALSE {
		said := message(program, gl.GetProgramiv, gl.GetProgramInfoLog)
		gl.DeleteProgram(program)
		return 0, fmt.Errorf("linking the shaders: %s", said)
	}
	return program, nil
}

func compile(kind uint32, source string) (uint32, error) {
	shader := gl.CreateShader(kind)
	text, free := gl.Strs(source + "\x00")
	defer free()
	gl.ShaderSource(shader, 1, text, nil)
	gl.CompileShader(shader)
	var ok int32
	if gl.GetShaderiv(shader, gl.COMPILE_STATUS, &ok); ok == gl.FALSE {
		said := message(shader, gl.GetShaderiv, gl.GetShaderInfoLog)
		gl.DeleteShader(shader)
		return 0, fmt.Errorf("compiling a shader: %s", said)
	}
	return shader, nil
}

// message returns what the compiler has said about object.
func message(object uint32, get func(uint32, uint32, *int32), read func(uint32, int32, *int32, *uint8)) string {
	var length int32
	get(object, gl.INFO_LOG_LENGTH, &length)
	text := make([]byte, length+1)
	read(object, int32(len(text)), nil, &text[0])
	return strings.TrimRight(string(text), "\x00\n")
}

// Uniform returns where program has the variable.
func Uniform(program uint32, name string) int32 {
	return gl.GetUniformLocation(program, gl.Str(name+"\x00"))
}
