package main

import (
	"image"
	"image/color"
)

const invitationSize = 144

// invitation is what is seen while there is no picture: an arrow that points into a tray.
func invitation() *picture {
	m := image.NewRGBA(image.Rect(0, 0, invitationSize, invitationSize))
	ground := color.RGBA{0x17, 0x1a, 0x1f, 0xff}
	ink := color.RGBA{0x8a, 0x93, 0xa3, 0xff}
	for y := range invitationSize {
		for x := range invitationSize {
			c := ground
			fromMiddle := abs(x - invitationSize/2)
			shaft := fromMiddle < 7 && y >= 16 && y < 70
			head := y >= 66 && y < 98 && fromMiddle < 98-y
			bottom := y >= 114 && y < 126 && fromMiddle < 58
			wall := y >= 86 && y < 126 && fromMiddle >= 46 && fromMiddle < 58
			if shaft || head || bottom || wall {
				c = ink
			}
			m.SetRGBA(x, y, c)
		}
	}
	return m
}

func abs(n int) int { return max(n, -n) }
