package main

import (
	"math"
	"sync/atomic"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
)

// textures are those of the kinds, zero until they have been loaded. Both windows draw with them.
var textures [kinds]atomic.Uint32

// load makes the texture of a kind, on the loader's thread.
func load(k kind) (texture uint32) {
	const size = 256
	pixels := make([]uint8, 0, 4*size*size)
	for i := range size * size {
		x, y := 2*float64(i%size)/size-1, 2*float64(i/size)/size-1
		c := picture(k, x, y)
		for _, v := range c {
			pixels = append(pixels, uint8(255*min(max(v, 0), 1)))
		}
	}
	gl.GenTextures(1, &texture)
	gl.BindTexture(gl.TEXTURE_2D, texture)
	gl.TexImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, size, size, 0, gl.RGBA, gl.UNSIGNED_BYTE,
		gl.Ptr(pixels))
	gl.GenerateMipmap(gl.TEXTURE_2D)
	gl.Finish() // the windows' threads see it completely
	return texture
}

// picture returns the colour of a kind at a place from -1 to 1, with y upwards.
func picture(k kind, x, y float64) [4]float64 {
	r, a := math.Hypot(x, y), math.Atan2(y, x)
	edge := func(inside float64) float64 { return 16 * inside }
	switch k {
	case ship:
		hull := 0.9 - y - 2.2*math.Abs(x)
		body := min(hull, 0.8+y+0.5*math.Abs(x))
		shine := 0.75 - 0.9*math.Abs(x+0.12)
		window := 1.0
		if math.Hypot(x, 1.2*(y-0.1)) < 0.18 {
			window = 0.35
		}
		return [4]float64{shine * window, shine * window * 1.05, shine * 1.3, edge(body)}
	case star:
		points := 0.6 + 0.22*math.Cos(5*(a-math.Pi/2)) - r
		return [4]float64{1, 0.85 - 0.25*r, 0.25 + 0.5*(0.5-r), edge(points)}
	}
	bumps := 0.78 + 0.07*math.Sin(3*a+1) + 0.06*math.Sin(7*a) - r
	light := 0.6 - 0.35*x + 0.3*y + 0.1*math.Sin(9*x+3*math.Sin(6*y))*math.Cos(8*y)
	return [4]float64{0.72 * light, 0.6 * light, 0.55 * light, edge(bumps)}
}

// A painter draws things in a window, on its thread.
type painter struct {
	program, array uint32
	place, look    int32
}

const paintVertex = `#version 330 core
uniform vec4 place; // x, y, size, angle
out vec2 at;
void main() {
	at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
	vec2 corner = 2*at - 1;
	mat2 turn = mat2(cos(place.w), sin(place.w), -sin(place.w), cos(place.w));
	gl_Position = vec4(place.xy + place.z*(turn*corner)*vec2(1, 0.75), 0, 1);
}`

const paintFragment = `#version 330 core
uniform vec4 look; // a colour, and 1 if there is a texture
uniform sampler2D image;
in vec2 at;
out vec4 colour;
void main() { colour = look.w > 0.5 ? texture(image, at) : vec4(look.rgb, 1); }`

func newPainter() (*painter, error) {
	program, err := gpu.Program(paintVertex, paintFragment)
	if err != nil {
		return nil, err
	}
	p := &painter{program: program, place: gpu.Uniform(program, "place"),
		look: gpu.Uniform(program, "look")}
	gl.GenVertexArrays(1, &p.array)
	return p, nil
}

// begin clears the frame.
func (p *painter) begin(f *app.Frame) {
	sky := float32(0.5 + 0.5*math.Sin(f.Time.Seconds()/7))
	gl.ClearColor(0.03+0.03*sky, 0.04, 0.12-0.03*sky, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	gl.Enable(gl.BLEND)
	gl.BlendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA)
	gl.UseProgram(p.program)
	gl.BindVertexArray(p.array)
}

func (p *painter) draw(t thing) {
	texture := textures[t.kind].Load()
	gl.BindTexture(gl.TEXTURE_2D, texture)
	gl.Uniform4f(p.place, float32(t.x), float32(t.y), float32(t.size), float32(t.angle))
	gl.Uniform4f(p.look, 0.3, 0.4+0.2*float32(t.kind), 0.6, float32(min(texture, 1)))
	gl.DrawArrays(gl.TRIANGLE_STRIP, 0, 4)
}
