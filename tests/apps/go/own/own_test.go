// A package with a TestMain of its own, whose tests are in another package, and one that ends the process.
package own_test

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) {
	code := m.Run()
	os.Exit(code)
}

func TestForgottenReceiver(t *testing.T) {
	never := make(chan int)
	go func() { <-never }()
}
