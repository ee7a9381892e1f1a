// Concurrent programs as they should be: nothing may be found in them.
package sound

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

func TestPipeline(t *testing.T) {
	numbers, squares := make(chan int), make(chan int)
	go func() {
		defer close(numbers)
		for i := 0; i < 100; i++ {
			numbers <- i
		}
	}()
	go func() {
		defer close(squares)
		for n := range numbers {
			squares <- n * n
		}
	}()
	sum := 0
	for s := range squares {
		sum += s
	}
	if sum != 328350 {
		t.Fatal(sum)
	}
}

func TestPool(t *testing.T) {
	work, done := make(chan int), make(chan int, 100)
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for n := range work {
				done <- n
			}
		}()
	}
	for i := 0; i < 100; i++ {
		work <- i
	}
	close(work)
	all.Wait()
	if len(done) != 100 {
		t.Fail()
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	out := make(chan int)
	go func() {
		for i := 0; ; i++ {
			select {
			case out <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	<-out
	<-out
	cancel()
}

func TestDeadline(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	select {
	case <-ctx.Done():
	case <-time.After(5 * time.Second):
		t.Fail()
	}
}

func TestCondition(t *testing.T) {
	var mutex sync.Mutex
	ready := sync.NewCond(&mutex)
	queue := []int{}
	var all sync.WaitGroup
	for i := 0; i < 3; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			mutex.Lock()
			for len(queue) == 0 {
				ready.Wait()
			}
			queue = queue[1:]
			mutex.Unlock()
		}()
	}
	for i := 0; i < 3; i++ {
		mutex.Lock()
		queue = append(queue, i)
		mutex.Unlock()
		ready.Signal()
	}
	all.Wait()
}

func TestReaders(t *testing.T) {
	var lock sync.RWMutex
	values := map[int]int{}
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		i := i
		all.Add(1)
		go func() {
			defer all.Done()
			for k := 0; k < 50; k++ {
				if k%10 == i {
					lock.Lock()
					values[k] = i
					lock.Unlock()
				} else {
					lock.RLock()
					_ = values[k]
					lock.RUnlock()
				}
			}
		}()
	}
	all.Wait()
}

func TestOnce(t *testing.T) {
	var once sync.Once
	var count int32
	var all sync.WaitGroup
	for i := 0; i < 10; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			once.Do(func() { time.Sleep(time.Millisecond); atomic.AddInt32(&count, 1) })
		}()
	}
	all.Wait()
	if count != 1 {
		t.Fail()
	}
}

func TestTicker(t *testing.T) {
	ticker := time.NewTicker(2 * time.Millisecond)
	defer ticker.Stop()
	for i := 0; i < 5; i++ {
		<-ticker.C
	}
}

func TestSemaphore(t *testing.T) {
	slots := make(chan struct{}, 3)
	var all sync.WaitGroup
	for i := 0; i < 20; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			slots <- struct{}{}
			time.Sleep(time.Millisecond)
			<-slots
		}()
	}
	all.Wait()
}

func TestFirstError(t *testing.T) {
	errs := make(chan error, 5)
	for i := 0; i < 5; i++ {
		i := i
		go func() {
			if i == 3 {
				errs <- errors.New("three")
				return
			}
			errs <- nil
		}()
	}
	bad := 0
	for i := 0; i < 5; i++ {
		if <-errs != nil {
			bad++
		}
	}
	if bad != 1 {
		t.Fail()
	}
}

func TestEcho(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skip(err)
	}
	done := make(chan bool)
	go func() {
		defer close(done)
		there, err := listener.Accept()
		if err != nil {
			return
		}
		defer there.Close()
		io.Copy(there, there)
	}()
	here, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(here, "hello")
	bufio.NewReader(here).ReadString('\n')
	here.Close()
	listener.Close()
	<-done
}

func TestServer(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "yes") }))
	defer server.Close()
	for i := 0; i < 3; i++ {
		answer, err := server.Client().Get(server.URL)
		if err != nil {
			t.Fatal(err)
		}
		io.Copy(io.Discard, answer.Body)
		answer.Body.Close()
	}
}

func TestPipe(t *testing.T) {
	reader, writer := io.Pipe()
	go func() {
		defer writer.Close()
		for i := 0; i < 10; i++ {
			fmt.Fprintln(writer, i)
		}
	}()
	lines := bufio.NewScanner(reader)
	count := 0
	for lines.Scan() {
		count++
	}
	if count != 10 {
		t.Fail()
	}
}

func TestCommand(t *testing.T) {
	out, err := exec.Command("echo", "yes").Output()
	if err != nil || string(out) != "yes\n" {
		t.Skip(err)
	}
}

func TestFile(t *testing.T) {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	go func() { fmt.Fprint(writer, "text"); writer.Close() }()
	io.ReadAll(reader)
	reader.Close()
}

func TestSubtests(t *testing.T) {
	for i := 0; i < 4; i++ {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			t.Parallel()
			time.Sleep(time.Millisecond)
		})
	}
}

func TestMap(t *testing.T) {
	var values sync.Map
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		i := i
		all.Add(1)
		go func() { defer all.Done(); values.Store(i, i); values.Load(i) }()
	}
	all.Wait()
}

func TestObjects(t *testing.T) {
	pool := sync.Pool{New: func() interface{} { return new(int) }}
	var all sync.WaitGroup
	for i := 0; i < 8; i++ {
		all.Add(1)
		go func() { defer all.Done(); pool.Put(pool.Get()) }()
	}
	all.Wait()
}

func TestAfter(t *testing.T) {
	done := make(chan bool)
	time.AfterFunc(5*time.Millisecond, func() { close(done) })
	<-done
}

func TestBarrier(t *testing.T) {
	var here int32
	go_ := make(chan bool)
	var all sync.WaitGroup
	for i := 0; i < 4; i++ {
		all.Add(1)
		go func() {
			defer all.Done()
			if atomic.AddInt32(&here, 1) == 4 {
				close(go_)
			}
			<-go_
		}()
	}
	all.Wait()
}

// Starts itself: the trace is its own, not the other's.
func TestStartsItself(t *testing.T) {
	if err := exec.Command(os.Args[0], "-test.run=^$").Run(); err != nil {
		t.Fatal(err)
	}
}

type worker struct{ stop chan bool }

// The goroutine ends when nobody has its worker any more.
func TestFinaliser(t *testing.T) {
	own := &worker{make(chan bool)}
	stop := own.stop
	go func() { <-stop }()
	runtime.SetFinalizer(own, func(w *worker) { close(w.stop) })
}
