// Does each thing that a trace tells of, and ends.
package main

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"runtime/trace"
	"sync"
	"time"
)

type shared struct {
	mutex sync.Mutex
	both  sync.RWMutex
	value int
}

func (s *shared) add() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.value++
	runtime.Gosched()
}

func channels() {
	plain, done := make(chan int), make(chan bool)
	go func() {
		for range plain {
		}
		close(done)
	}()
	for i := 0; i < 50; i++ {
		plain <- i
	}
	close(plain)
	<-done
}

func selects() {
	one, other, quit := make(chan int), make(chan int), make(chan bool)
	go func() {
		for i := 0; i < 20; i++ {
			select {
			case one <- i:
			case other <- i:
			}
		}
		close(quit)
	}()
	for {
		select {
		case <-one:
		case <-other:
		case <-quit:
			return
		}
	}
}

func locks() {
	var s shared
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for k := 0; k < 20; k++ {
				s.add()
				s.both.RLock()
				s.both.RUnlock()
				s.both.Lock()
				s.both.Unlock()
			}
		}()
	}
	all.Wait()
}

func conditions() {
	var mutex sync.Mutex
	ready, is := sync.NewCond(&mutex), false
	var all sync.WaitGroup
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func() {
			mutex.Lock()
			for !is {
				ready.Wait()
			}
			mutex.Unlock()
			all.Done()
		}()
	}
	time.Sleep(5 * time.Millisecond)
	mutex.Lock()
	is = true
	ready.Broadcast()
	mutex.Unlock()
	all.Wait()
}

func network() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	go func() {
		if there, err := listener.Accept(); err == nil {
			fmt.Fprintln(there, "hello")
			there.Close()
		}
	}()
	if here, err := net.Dial("tcp", listener.Addr().String()); err == nil {
		var text string
		fmt.Fscanln(here, &text)
		here.Close()
	}
	listener.Close()
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil || trace.Start(file) != nil {
		os.Exit(2)
	}
	channels()
	selects()
	locks()
	conditions()
	network()
	runtime.GC()
	trace.Stop()
	file.Close()
}
