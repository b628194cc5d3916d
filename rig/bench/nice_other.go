//go:build !unix

package bench

func resetNice() {}
