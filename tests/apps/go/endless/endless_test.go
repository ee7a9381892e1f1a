// A test that works for ever.
package endless

import "testing"

func TestTurns(t *testing.T) {
	turns := make(chan int)
	go func() {
		for i := 0; ; i++ {
			turns <- i
		}
	}()
	for range turns {
	}
}
