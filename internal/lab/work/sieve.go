package work

// Sieve finds the primes up to limit with a chain of goroutines, one for each prime that was found. Each lets through
// what its prime does not divide. It returns how many primes there are when none of the goroutines has anything left to
// do.
func Sieve(limit int) (primes int) {
	numbers := make(chan int)
	go count(numbers, limit)
	for {
		prime, more := <-numbers
		if !more {
			return primes
		}
		primes++
		rest := make(chan int)
		go filter(numbers, rest, prime)
		numbers = rest
	}
}

func count(to chan<- int, limit int) {
	defer close(to)
	for n := 2; n <= limit; n++ {
		to <- n
	}
}

func filter(from <-chan int, to chan<- int, prime int) {
	defer close(to)
	for n := range from {
		if n%prime != 0 {
			to <- n
		}
	}
}

// Messages returns how many numbers are sent on all of the channels of Sieve(limit) together. A number goes past the
// prime numbers up to its least divisor.
func Messages(limit int) (messages int) {
	position := make([]int, limit+1) // of the least divisor among the primes, from one
	primes := 0
	for n := 2; n <= limit; n++ {
		if position[n] == 0 {
			primes++
			for multiple := n; multiple <= limit; multiple += n {
				if position[multiple] == 0 {
					position[multiple] = primes
				}
			}
		}
		messages += position[n]
	}
	return messages
}
