package bench

import "context"

func (s *Session) frequency(ctx context.Context) (restore func(), err error) {
	return func() {}, nil
}
