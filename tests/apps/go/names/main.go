// Locks and channels of several goroutines; with an argument one more lock, before all others.
package main

import (
	"os"
	"sync"
)

type part struct {
	mutex sync.Mutex
	sum   int
}

var extra sync.Mutex

func work(own, shared *part, into chan<- int) {
	asked := make(chan int, 1)
	for i := 0; i < 3; i++ {
		own.mutex.Lock()
		own.sum += i
		own.mutex.Unlock()
		shared.mutex.Lock()
		shared.sum++
		shared.mutex.Unlock()
		asked <- i
		into <- <-asked
	}
}

func main() {
	var parts [4]part
	var shared part
	var all sync.WaitGroup
	if len(os.Args) > 1 {
		extra.Lock()
		defer extra.Unlock()
	}
	for i := range parts {
		own, into := &parts[i], make(chan int)
		all.Add(1)
		go func() { defer all.Done(); work(own, &shared, into) }()
		for k := 0; k < 3; k++ {
			<-into
		}
	}
	all.Wait()
}
