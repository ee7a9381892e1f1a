// Makes a trace of Go's with as many events as one likes: two goroutines that hand a number to each other.
package main

import (
	"log"
	"os"
	"runtime/trace"
	"strconv"
)

func answer(asked <-chan int, answers chan<- int) {
	for number := range asked {
		answers <- number + 1
	}
	close(answers)
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	exchanges, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	if err := trace.Start(file); err != nil {
		log.Fatal(err)
	}
	asked, answers := make(chan int), make(chan int)
	go answer(asked, answers)
	for number := 0; number < exchanges; {
		asked <- number
		number = <-answers
	}
	close(asked)
	<-answers
	trace.Stop()
}
