package main

import (
	"image"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app/examples/internal/gpu"
)

// A picture is a texture and the program that draws it in the middle of a window.
type picture struct {
	texture uint32
	program uint32
	array   uint32
	size    int32
}

const pictureVertex = `#version 330 core
uniform vec2 size; // part of the window
out vec2 at;
void main() {
	at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
	gl_Position = vec4((2*at - 1)*vec2(size.x, -size.y), 0, 1);
}`

const pictureFragment = `#version 330 core
uniform sampler2D picture;
in vec2 at;
out vec4 colour;
void main() {
	vec4 c = texture(picture, at); // premultiplied
	ivec2 square = ivec2(gl_FragCoord.xy) / 12;
	float ground = (square.x + square.y) % 2 == 0 ? 0.22 : 0.28; // where it is transparent
	colour = vec4(c.rgb + (1 - c.a)*ground, 1);
}`

// newPicture returns an empty picture.
func newPicture() (*picture, error) {
	program, err := gpu.Program(pictureVertex, pictureFragment)
	if err != nil {
		return nil, err
	}
	p := &picture{program: program, size: gpu.Uniform(program, "size")}
	// the core profile needs one, although the shader computes the corners
	gl.GenVertexArrays(1, &p.array)
	gl.GenTextures(1, &p.texture)
	gl.BindTexture(gl.TEXTURE_2D, p.texture)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR)
	return p, nil
}

// upload replaces the picture.
func (p *picture) upload(m *image.RGBA) {
	gl.BindTexture(gl.TEXTURE_2D, p.texture)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, int32(m.Rect.Dx()), int32(m.Rect.Dy()), 0, gl.RGBA,
		gl.UNSIGNED_BYTE, gl.Ptr(m.Pix))
}

// draw draws the picture; 1, 1 fills the window.
func (p *picture) draw(width, height float64) {
	gl.UseProgram(p.program)
	gl.BindVertexArray(p.array)
	gl.BindTexture(gl.TEXTURE_2D, p.texture)
	gl.Uniform2f(p.size, float32(width), float32(height))
	gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
}
