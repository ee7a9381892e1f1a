// A program with C in it: to build it Go asks a C compiler.
package main

// static int three(void) { return 3; }
import "C"

import "fmt"

func main() {
	fmt.Println("three is", C.three())
}
