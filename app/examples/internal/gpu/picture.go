package gpu

import (
	"image"

	"github.com/go-gl/gl/v3.3-core/gl"
)

// A Picture is a texture, and what draws it as a rectangle. Where it is transparent, a chequered ground is seen.
type Picture struct {
	Size    image.Point // in pixels; zero while there is nothing in it
	texture uint32
	program uint32
	array   uint32
	corner  int32
	extent  int32
	smooth  bool
}

const pictureVertex = `#version 330 core
uniform vec2 corner, extent; // of the rectangle, in clip coordinates
out vec2 at;
void main() {
	at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
	gl_Position = vec4(corner + at*extent, 0, 1);
}`

const pictureFragment = `#version 330 core
uniform sampler2D picture;
in vec2 at;
out vec4 colour;
void main() {
	vec4 c = texture(picture, at); // premultiplied
	ivec2 square = ivec2(gl_FragCoord.xy) / 12;
	float ground = (square.x + square.y) % 2 == 0 ? 0.22 : 0.28;
	colour = vec4(c.rgb + (1 - c.a)*ground, 1);
}`

// NewPicture makes an empty one. A smooth one is filtered when it is drawn smaller, and is meant to be filled by Upload.
func NewPicture(smooth bool) (*Picture, error) {
	program, err := Program(pictureVertex, pictureFragment)
	if err != nil {
		return nil, err
	}
	p := &Picture{program: program, smooth: smooth, corner: Uniform(program, "corner"), extent: Uniform(program, "extent")}
	gl.GenVertexArrays(1, &p.array) // the core profile wants one, although the corners are computed
	gl.GenTextures(1, &p.texture)
	gl.BindTexture(gl.TEXTURE_2D, p.texture)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE)
	gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST)
	if smooth {
		gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_LINEAR)
	} else {
		gl.TexParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR)
	}
	return p, nil
}

// Upload replaces the picture.
func (p *Picture) Upload(m *image.RGBA) {
	p.Size = m.Rect.Size()
	gl.BindTexture(gl.TEXTURE_2D, p.texture)
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, int32(m.Stride/4))
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, int32(p.Size.X), int32(p.Size.Y), 0, gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(m.Pix))
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, 0)
	if p.smooth {
		gl.GenerateMipmap(gl.TEXTURE_2D)
	}
}

// Patch replaces a part of the picture, whose upper left corner is m's.
func (p *Picture) Patch(m *image.RGBA) {
	gl.BindTexture(gl.TEXTURE_2D, p.texture)
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, int32(m.Stride/4))
	gl.TexSubImage2D(gl.TEXTURE_2D, 0, int32(m.Rect.Min.X), int32(m.Rect.Min.Y), int32(m.Rect.Dx()), int32(m.Rect.Dy()),
		gl.RGBA, gl.UNSIGNED_BYTE, gl.Ptr(m.Pix))
	gl.PixelStorei(gl.UNPACK_ROW_LENGTH, 0)
}

// Draw draws the picture as a rectangle of a window of the given size. All is in the same unit, and (x, y) is the upper
// left corner of the rectangle, counted from that of the window.
func (p *Picture) Draw(windowWidth, windowHeight, x, y, width, height float64) {
	if p.Size.X == 0 || windowWidth <= 0 || windowHeight <= 0 {
		return
	}
	gl.UseProgram(p.program)
	gl.BindVertexArray(p.array)
	gl.BindTexture(gl.TEXTURE_2D, p.texture)
	gl.Uniform2f(p.corner, float32(2*x/windowWidth-1), float32(1-2*y/windowHeight))
	gl.Uniform2f(p.extent, float32(2*width/windowWidth), float32(-2*height/windowHeight))
	gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
}

// MaxSize returns how wide and how high a picture may be.
func MaxSize() int {
	var n int32
	gl.GetIntegerv(gl.MAX_TEXTURE_SIZE, &n)
	return int(n)
}
