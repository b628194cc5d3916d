package main

import (
	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
)

// A silk fills a window with folds that flow. It belongs to the window's thread.
type silk struct {
	number  float32 // of the window, which chooses colours
	program uint32
	array   uint32
	look    int32
}

const silkVertex = `#version 330 core
out vec2 at;
void main() { // one triangle that covers the window
	at = vec2(gl_VertexID == 1 ? 3 : -1, gl_VertexID == 2 ? 3 : -1);
	gl_Position = vec4(at, 0, 1);
}`

const silkFragment = `#version 330 core
uniform vec3 look; // time, number of the window, width over height
in vec2 at;
out vec4 colour;
const vec3 colours[] = vec3[]( // dark, middle and light, for three windows
	vec3(0.05, 0.06, 0.23), vec3(0.80, 0.16, 0.42), vec3(1.00, 0.79, 0.36),
	vec3(0.02, 0.14, 0.20), vec3(0.05, 0.60, 0.58), vec3(0.90, 0.97, 0.66),
	vec3(0.13, 0.04, 0.27), vec3(0.27, 0.37, 0.95), vec3(0.82, 0.94, 1.00));
void main() {
	float t = 0.4*look.x;
	int set = 3*(int(look.y)%3);
	vec2 p = 1.5*at*vec2(look.z, 1) + 2.4*look.y;
	for (int i = 1; i < 7; i++) { // each wave bends the next one
		float k = float(i);
		p += 0.8/k*vec2(sin(k*p.y + t + 0.3*k), cos(k*p.x + 0.8*t + 0.7*k));
	}
	float fold = 0.5 + 0.5*sin(p.x + p.y + 0.3*t), shine = 0.5 + 0.5*sin(1.7*p.x - p.y + t);
	vec3 c = mix(colours[set], colours[set + 1], smoothstep(0.1, 0.75, fold));
	colour = vec4(mix(c, colours[set + 2], smoothstep(0.45, 1, fold*shine)), 1);
}`

func newSilk(window int) (*silk, error) {
	program, err := gpu.Program(silkVertex, silkFragment)
	if err != nil {
		return nil, err
	}
	s := &silk{number: float32(window), program: program, look: gpu.Uniform(program, "look")}
	gl.GenVertexArrays(1, &s.array)
	return s, nil
}

func (s *silk) draw(f *app.Frame) {
	gl.UseProgram(s.program)
	gl.BindVertexArray(s.array)
	gl.Uniform3f(s.look, float32(f.Time.Seconds()), s.number,
		float32(f.Width)/float32(max(f.Height, 1)))
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
}
