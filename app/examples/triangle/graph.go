package main

import (
	"time"

	"github.com/go-gl/gl/v3.3-core/gl"

	"github.com/threadcall/threadcall/app"
	"github.com/threadcall/threadcall/app/examples/internal/gpu"
)

const (
	bars   = 240
	full   = 50 * time.Millisecond // as high as the graph
	height = 110                   // of the graph, in screen coordinates
	margin = 12
)

// A graph shows how long the last frames took. Its bars are one rectangle, drawn once for each
// number in a buffer. The lines are at 1/60 and 1/30 s.
type graph struct {
	times   [bars]float32 // of full, a ring
	next    int           // the oldest
	buffer  uint32
	array   uint32
	program uint32
	oldest  int32
	area    int32
}

const graphVertex = `#version 330 core
layout(location = 0) in float time; // one a bar
uniform int oldest;
uniform vec4 area; // left, bottom, width, height in clip coordinates
flat out float value;
out float y;
const int bars = 240;
void main() {
	vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
	float bar = float((gl_InstanceID - oldest + bars) % bars);
	value = time;
	y = corner.y;
	gl_Position = vec4(area.xy + vec2((bar + 0.85*corner.x)/float(bars), corner.y)*area.zw, 0, 1);
}`

const graphFragment = `#version 330 core
flat in float value;
in float y;
out vec4 colour;
void main() {
	vec3 good = vec3(0.27, 0.68, 0.42), late = vec3(0.93, 0.70, 0.25), bad = vec3(0.95, 0.38, 0.29);
	vec3 c = value < 0.36 ? good : value < 0.70 ? late : bad; // of 50 ms
	if (y > value) c = vec3(0.13, 0.145, 0.17);
	if (abs(y - 1/3.0) < 0.006 || abs(y - 2/3.0) < 0.006) c = mix(c, vec3(1), 0.35);
	colour = vec4(c, 1);
}`

func newGraph() (*graph, error) {
	program, err := gpu.Program(graphVertex, graphFragment)
	if err != nil {
		return nil, err
	}
	g := &graph{program: program, oldest: gpu.Uniform(program, "oldest"),
		area: gpu.Uniform(program, "area")}
	gl.GenVertexArrays(1, &g.array)
	gl.BindVertexArray(g.array)
	gl.GenBuffers(1, &g.buffer)
	gl.BindBuffer(gl.ARRAY_BUFFER, g.buffer)
	gl.VertexAttribPointerWithOffset(0, 1, gl.FLOAT, false, 4, 0)
	gl.EnableVertexAttribArray(0)
	gl.VertexAttribDivisor(0, 1)
	return g, nil
}

// draw adds the time of a frame in place of the oldest, and sends all to the graphics card.
// BufferData copies them, so nothing is allocated.
func (g *graph) draw(f *app.Frame) {
	g.times[g.next] = float32(f.Delta.Seconds() / full.Seconds())
	g.next = (g.next + 1) % bars
	gl.BindBuffer(gl.ARRAY_BUFFER, g.buffer)
	gl.BufferData(gl.ARRAY_BUFFER, 4*bars, gl.Ptr(&g.times[0]), gl.STREAM_DRAW)
	gl.UseProgram(g.program)
	gl.Uniform1i(g.oldest, int32(g.next))
	w, h := float32(max(f.ScreenWidth, 1)), float32(max(f.ScreenHeight, 1))
	gl.Uniform4f(g.area, 2*margin/w-1, 2*margin/h-1, 2-4*margin/w, 2*height/h)
	gl.BindVertexArray(g.array)
	gl.DrawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, bars)
}
