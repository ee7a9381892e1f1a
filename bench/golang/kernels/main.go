// Kernels of bugs that are common in Go programs, each with its fix: kernels NAME [fixed].
// "// bug NAME: FUNCTION" is at the line where a goroutine that runs the function waits for ever, or leaves out what others wait for;
// "// fix NAME: FUNCTION" where the fix is, if it is in what another goroutine runs.
package main

import (
	"fmt"
	"os"
)

var kernels = map[string]func(fixed bool){}

func main() {
	if len(os.Args) < 2 {
		for name := range kernels {
			fmt.Println(name)
		}
		return
	}
	kernels[os.Args[1]](len(os.Args) > 2 && os.Args[2] == "fixed")
}
