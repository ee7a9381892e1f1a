// Goroutines that call C, C that calls back, a collection of garbage, a caught fault, and a stack for a reader.
package main

/*
extern int twice(int);
static __attribute__((noinline)) int deep(int n) { return n <= 0 ? twice(1) : 1 + deep(n - 1); }
*/
import "C"
import (
	"fmt"
	"os"
	"runtime"
	"sync"
)

//export twice
func twice(n C.int) C.int {
	_ = make([]byte, 100000)
	return 2 * n
}

func fault() (caught bool) {
	defer func() { caught = recover() != nil }()
	var nothing *int
	*nothing = 1
	return
}

func main() {
	var group sync.WaitGroup
	sums := make([]int, 50)
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			sums[i] = int(C.deep(C.int(i)))
			runtime.GC()
		}(i)
	}
	group.Wait()
	total := 0
	for _, each := range sums {
		total += each
	}
	var text [1 << 14]byte
	fmt.Println(total, fault(), runtime.Stack(text[:], true) > 100)
	os.Exit(6)
}
