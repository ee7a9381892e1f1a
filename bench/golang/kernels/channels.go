package main

import (
	"context"
	"sync"
	"time"
)

func init() {
	kernels["send-without-receiver"] = sendWithoutReceiver
	kernels["receive-without-sender"] = receiveWithoutSender
	kernels["range-without-close"] = rangeWithoutClose
	kernels["nil-channel"] = nilChannel
	kernels["early-return"] = earlyReturn
	kernels["select-without-default"] = selectWithoutDefault
	kernels["context-not-cancelled"] = contextNotCancelled
	kernels["full-buffer"] = fullBuffer
	kernels["double-receive"] = doubleReceive
	kernels["send-under-lock"] = sendUnderLock
	kernels["error-path"] = errorPath
	kernels["circular-channels"] = circularChannels
	kernels["timer-never-set"] = timerNeverSet
}

// The receiver gives up after a time, and the answer has nobody to go to: a buffer of one would do.
func answer(out chan<- int) {
	time.Sleep(20 * time.Millisecond)
	out <- 42 // bug send-without-receiver: main.answer
}

func sendWithoutReceiver(fixed bool) {
	out := make(chan int)
	if fixed { // fix send-without-receiver: main.sendWithoutReceiver
		out = make(chan int, 1)
	}
	go answer(out)
	select {
	case <-out:
	case <-time.After(5 * time.Millisecond):
	}
}

// A listener for what is never told on one of the paths.
func listener(news <-chan string, done chan<- bool) {
	<-news // bug receive-without-sender: main.listener
	done <- true
}

func receiveWithoutSender(fixed bool) {
	news, done := make(chan string), make(chan bool, 1)
	go listener(news, done)
	if fixed { // fix receive-without-sender: main.receiveWithoutSender
		news <- "all is well"
		<-done
	}
}

// A consumer that takes all there is, of a channel that nobody closes.
func consumer(jobs <-chan int, all *sync.WaitGroup) {
	defer all.Done()
	for range jobs { // bug range-without-close: main.consumer
	}
}

func rangeWithoutClose(fixed bool) {
	var all sync.WaitGroup
	jobs := make(chan int)
	all.Add(1)
	go consumer(jobs, &all)
	for i := 0; i < 5; i++ {
		jobs <- i
	}
	if fixed { // fix range-without-close: main.rangeWithoutClose
		close(jobs)
		all.Wait()
	}
}

// A channel that was declared, and never made.
type reporter struct{ reports chan int }

func (r *reporter) report() {
	r.reports <- 1 // bug nil-channel: main.(*reporter).report
}

func nilChannel(fixed bool) {
	r := &reporter{}
	if fixed { // fix nil-channel: main.nilChannel
		r.reports = make(chan int, 1)
	}
	go r.report()
	time.Sleep(5 * time.Millisecond)
}

// Who starts several takes the first answer only.
func search(place int, found chan<- int) {
	found <- place // bug early-return: main.search
}

func earlyReturn(fixed bool) {
	found := make(chan int)
	if fixed { // fix early-return: main.earlyReturn
		found = make(chan int, 3)
	}
	for i := 0; i < 3; i++ {
		go search(i, found)
	}
	<-found
}

// A worker that should stop when it is told, and waits for work only.
func worker(work <-chan int, stop <-chan bool, fixed bool) {
	if fixed {
		select {
		case <-work:
		case <-stop:
		}
		return
	}
	<-work // bug select-without-default: main.worker
}

func selectWithoutDefault(fixed bool) {
	work, stop := make(chan int), make(chan bool)
	go worker(work, stop, fixed)
	time.Sleep(2 * time.Millisecond)
	close(stop)
}

// A goroutine that lives until its context is cancelled, which nobody does.
func attend(ctx context.Context) {
	<-ctx.Done() // bug context-not-cancelled: main.attend
}

func contextNotCancelled(fixed bool) {
	ctx, cancel := context.WithCancel(context.Background())
	go attend(ctx)
	if fixed { // fix context-not-cancelled: main.contextNotCancelled
		cancel()
	}
	time.Sleep(2 * time.Millisecond)
	_ = cancel
}

// More messages than fit, before the one who takes them is there.
func producer(messages chan<- int, done chan<- bool) {
	for i := 0; i < 4; i++ {
		messages <- i // bug full-buffer: main.producer
	}
	done <- true
}

func fullBuffer(fixed bool) {
	messages, done := make(chan int, 3), make(chan bool)
	if fixed { // fix full-buffer: main.fullBuffer
		messages = make(chan int, 4)
	}
	go producer(messages, done)
	<-done
	for i := 0; i < 4; i++ {
		<-messages
	}
}

// Two wait for one message.
func taker(tokens <-chan bool) {
	<-tokens // bug double-receive: main.taker
}

func doubleReceive(fixed bool) {
	tokens := make(chan bool)
	go taker(tokens)
	go taker(tokens)
	tokens <- true
	if fixed { // fix double-receive: main.doubleReceive
		tokens <- true
	}
}

// Who sends holds the lock that the receiver needs first.
type queue struct {
	mutex sync.Mutex
	items chan int
}

func (q *queue) put(fixed bool) {
	q.mutex.Lock()
	if fixed {
		q.mutex.Unlock()
		q.items <- 1
		return
	}
	q.items <- 1 // bug send-under-lock: main.(*queue).put
	q.mutex.Unlock()
}

func (q *queue) take(done chan<- bool) {
	time.Sleep(5 * time.Millisecond)
	q.mutex.Lock()
	<-q.items
	q.mutex.Unlock()
	done <- true
}

func sendUnderLock(fixed bool) {
	q, done := &queue{items: make(chan int)}, make(chan bool)
	go q.put(fixed)
	go q.take(done)
	<-done
}

// An error ends the reader before it has told that it is done.
func reader(fails, fixed bool, done chan<- bool) {
	if fails && !fixed {
		return // bug error-path: main.reader
	}
	done <- true
}

func errorPath(fixed bool) {
	done := make(chan bool)
	for i := 0; i < 3; i++ {
		go reader(i == 1, fixed, done)
	}
	for i := 0; i < 3; i++ {
		<-done
	}
}

// Two ask each other, and both ask before they answer.
func asker(out chan<- int, in <-chan int, first bool, all *sync.WaitGroup) {
	defer all.Done()
	if first {
		out <- 1 // bug circular-channels: main.asker
		<-in
		return
	}
	<-in
	out <- 1
}

func circularChannels(fixed bool) {
	var all sync.WaitGroup
	one, other := make(chan int), make(chan int)
	all.Add(2)
	go asker(one, other, true, &all)
	go asker(other, one, !fixed, &all)
	all.Wait()
}

// Without a limit the timer's channel is nil, and the select has nothing that can happen.
func limited(limit time.Duration) {
	var over <-chan time.Time
	if limit > 0 {
		over = time.After(limit)
	}
	never := make(chan int)
	select { // bug timer-never-set: main.limited
	case <-never:
	case <-over:
	}
}

func timerNeverSet(fixed bool) {
	limit := time.Duration(0)
	if fixed { // fix timer-never-set: main.timerNeverSet
		limit = time.Millisecond
	}
	go limited(limit)
	time.Sleep(5 * time.Millisecond)
}
