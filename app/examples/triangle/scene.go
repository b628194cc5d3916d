package main

import (
	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
)

// A scene is what is drawn. It belongs to the window's thread.
type scene struct {
	angle   float64 // of the triangle, radians
	program uint32
	array   uint32
	turn    int32
	aspect  int32
	graph   graph
}

const triangleVertex = `#version 330 core
const vec2 corners[] = vec2[](vec2(0, 0.94), vec2(-0.814, -0.47), vec2(0.814, -0.47));
const vec3 colours[] = vec3[](
	vec3(0.95, 0.38, 0.29), vec3(0.27, 0.68, 0.42), vec3(0.24, 0.49, 0.92));
uniform float turn, aspect;
out vec3 mixed;
void main() {
	vec2 p = mat2(cos(turn), sin(turn), -sin(turn), cos(turn)) * corners[gl_VertexID];
	gl_Position = vec4(aspect > 1 ? vec2(p.x/aspect, p.y) : vec2(p.x, p.y*aspect), 0, 1);
	mixed = colours[gl_VertexID];
}`

const triangleFragment = `#version 330 core
in vec3 mixed;
out vec4 colour;
void main() { colour = vec4(mixed, 1); }`

func newScene() (*scene, error) {
	program, err := gpu.Program(triangleVertex, triangleFragment)
	if err != nil {
		return nil, err
	}
	s := &scene{program: program, turn: gpu.Uniform(program, "turn"),
		aspect: gpu.Uniform(program, "aspect")}
	gl.GenVertexArrays(1, &s.array)
	return s, nil
}

func (s *scene) draw(f *app.Frame) {
	gl.ClearColor(0.09, 0.10, 0.12, 1)
	gl.Clear(gl.COLOR_BUFFER_BIT)
	gl.UseProgram(s.program)
	gl.Uniform1f(s.turn, float32(s.angle))
	// the graph, in pixels
	below := int32(float32(height+margin) * float32(f.Height) / float32(max(f.ScreenHeight, 1)))
	above := max(int32(f.Height)-below, 1)
	gl.Viewport(0, below, int32(f.Width), above)
	gl.Uniform1f(s.aspect, float32(f.Width)/float32(above))
	gl.BindVertexArray(s.array)
	gl.DrawArrays(gl.TRIANGLES, 0, 3)
	gl.Viewport(0, 0, int32(f.Width), int32(f.Height))
	s.graph.draw(f)
}
