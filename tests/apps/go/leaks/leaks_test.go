// Tests that leave goroutines behind.
package leaks

import (
	"testing"
	"time"
)

func first(answers ...func() int) int {
	out := make(chan int)
	for _, answer := range answers {
		answer := answer
		go func() { out <- answer() }()
	}
	return <-out
}

func TestForgottenSender(t *testing.T) {
	if first(func() int { return 1 }, func() int { time.Sleep(time.Millisecond); return 1 }) != 1 {
		t.Fail()
	}
}
