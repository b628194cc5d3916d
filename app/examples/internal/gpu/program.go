// Package gpu has what the examples need of OpenGL. It is called on a window's thread.
package gpu

import (
	"fmt"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// Program compiles and links a vertex and a fragment shader.
func Program(vertex, fragment string) (uint32, error) {
	program := gl.CreateProgram()
	for kind, source := range map[uint32]string{gl.VERTEX_SHADER: vertex,
		gl.FRAGMENT_SHADER: fragment} {
		shader := gl.CreateShader(kind)
		text, free := gl.Strs(source + "\x00")
		gl.ShaderSource(shader, 1, text, nil)
		free()
		gl.CompileShader(shader)
		if err := failure(shader, gl.COMPILE_STATUS, gl.GetShaderiv,
			gl.GetShaderInfoLog); err != nil {
			return 0, fmt.Errorf("compiling a shader: %w", err)
		}
		gl.AttachShader(program, shader)
		gl.DeleteShader(shader) // goes with the program
	}
	gl.LinkProgram(program)
	if err := failure(program, gl.LINK_STATUS, gl.GetProgramiv, gl.GetProgramInfoLog); err != nil {
		return 0, fmt.Errorf("linking the shaders: %w", err)
	}
	return program, nil
}

// failure returns the log of object as an error, unless its status is good.
func failure(object, status uint32, get func(uint32, uint32, *int32),
	log func(uint32, int32, *int32, *uint8)) error {
	var ok int32
	if get(object, status, &ok); ok == gl.TRUE {
		return nil
	}
	var text [1 << 10]byte
	log(object, int32(len(text)), nil, &text[0])
	return fmt.Errorf("%s", gl.GoStr(&text[0]))
}

// Uniform returns the location of a variable of program.
func Uniform(program uint32, name string) int32 {
	return gl.GetUniformLocation(program, gl.Str(name+"\x00"))
}
