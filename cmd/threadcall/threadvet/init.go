package threadvet

func (c *checker) checkInit(locks bool) {}
