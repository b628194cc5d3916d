// Package trend tells growth from noise.
package trend

import "slices"

// A Point is a value at a time.
type Point struct{ X, Y float64 }

// A Trend is what a series of points does. First and Last are the medians of its first and last third. Slope is
// Theil and Sen's: the median of the slopes between all pairs, which a few wild points do not move.
type Trend struct{ First, Last, Slope float64 }

// Of returns the trend of at least three points, in the order of X. Fewer have none.
func Of(points []Point) (t Trend) {
	n := len(points)
	if n < 3 {
		return t
	}
	t.First = Median(points[:n/3])
	t.Last = Median(points[n-n/3:])
	var slopes []float64
	for i, p := range points {
		for _, q := range points[i+1:] {
			if q.X > p.X {
				slopes = append(slopes, (q.Y-p.Y)/(q.X-p.X))
			}
		}
	}
	t.Slope = middle(slopes)
	return t
}

// Growth is by how much the series has grown within span: by what the slope says or by what the medians say, whichever
// is less. A series that jumps about has a difference of medians without a slope, and one that ends where it began has
// a slope without a difference; neither has grown.
func (t Trend) Growth(span float64) float64 {
	a, b := t.Slope*span, t.Last-t.First
	if a < 0 || b < 0 {
		return min(max(a, b), 0)
	}
	return min(a, b)
}

const (
	groupSize = 10  // at least
	maxGroups = 200 // which bounds the number of pairs
)

// Floors divides points into groups of neighbours and returns the least of each: what is always there. A leak raises it;
// what comes and goes does not, not even if more of it is under way because the machine is busy.
func Floors(points []Point) []Point {
	n := min(len(points)/groupSize, maxGroups)
	floors := make([]Point, n)
	for i := range floors {
		group := points[i*len(points)/n : (i+1)*len(points)/n]
		floors[i] = Point{group[len(group)/2].X, slices.Min(values(group))}
	}
	return floors
}

func values(points []Point) []float64 {
	ys := make([]float64, len(points))
	for i, p := range points {
		ys[i] = p.Y
	}
	return ys
}

// Median returns the median of the points' values.
func Median(points []Point) float64 { return middle(values(points)) }

// middle sorts values and returns their median, or zero if there are none.
func middle(values []float64) float64 {
	slices.Sort(values)
	switch n := len(values); {
	case n == 0:
		return 0
	case n%2 == 1:
		return values[n/2]
	default:
		return (values[n/2-1] + values[n/2]) / 2
	}
}
