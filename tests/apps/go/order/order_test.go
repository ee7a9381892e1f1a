// Two locks in two orders: a deadlock, but only if both goroutines come in between.
package order

import (
	"sync"
	"testing"
)

type account struct {
	mutex sync.Mutex
	money int
}

func move(from, to *account, money int) {
	from.mutex.Lock()
	to.mutex.Lock()
	from.money -= money
	to.money += money
	to.mutex.Unlock()
	from.mutex.Unlock()
}

func TestMove(t *testing.T) {
	var one, other account
	var all sync.WaitGroup
	all.Add(2)
	go func() { defer all.Done(); move(&one, &other, 1) }()
	go func() { defer all.Done(); move(&other, &one, 1) }()
	all.Wait()
}
