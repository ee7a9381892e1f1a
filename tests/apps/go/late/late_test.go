// A goroutine that must wait before others call it: only one that comes later than they do waits for ever.
package late

import (
	"sync"
	"testing"
	"time"
)

func TestCall(t *testing.T) {
	var mutex sync.Mutex
	called := sync.NewCond(&mutex)
	done := make(chan bool)
	go func() {
		mutex.Lock()
		called.Wait()
		mutex.Unlock()
		close(done)
	}()
	time.Sleep(2 * time.Millisecond)
	mutex.Lock()
	called.Broadcast()
	mutex.Unlock()
	<-done
}
