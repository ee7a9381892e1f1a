// Ends by os.Exit with its first argument, and leaves one that waits for work behind; with a second one a sender, too, with a third one after many turns.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"
)

func main() {
	work, answers := make(chan int), make(chan int)
	go func() {
		for range work {
		}
	}()
	if len(os.Args) > 2 {
		go func() { answers <- 1 }()
	}
	work <- 1
	for i := 0; len(os.Args) > 3 && i < 400; i++ {
		work <- i
	}
	time.Sleep(5 * time.Millisecond)
	code := 0
	if len(os.Args) > 1 {
		code, _ = strconv.Atoi(os.Args[1])
	}
	fmt.Println("leaving with", code)
	os.Exit(code)
}
