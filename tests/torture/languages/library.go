// A shared library, or an archive, for programs in C.
package main

import "C"
import "runtime"

func fault() (caught bool) {
	defer func() { caught = recover() != nil }()
	var nothing *int
	*nothing = 1
	return
}

//export Compute
func Compute(n C.int) C.int {
	results := make(chan int)
	for i := 0; i < int(n); i++ {
		go func(i int) { results <- len(make([]byte, i)) }(i)
	}
	sum := 0
	for i := 0; i < int(n); i++ {
		sum += <-results
	}
	runtime.GC()
	if !fault() {
		sum = -1
	}
	return C.int(sum)
}

//export Crash
func Crash() {
	var nothing *int
	*nothing = 1
}

func main() {}
