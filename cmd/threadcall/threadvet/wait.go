package threadvet

func (c *checker) checkWaits() {}
