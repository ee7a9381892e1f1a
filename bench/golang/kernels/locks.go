package main

import (
	"sync"
	"time"
)

func init() {
	kernels["double-lock"] = doubleLock
	kernels["lock-order"] = lockOrder
	kernels["missing-unlock"] = missingUnlock
	kernels["read-lock-twice"] = readLockTwice
	kernels["upgrade"] = upgrade
	kernels["missing-done"] = missingDone
	kernels["wait-inside"] = waitInside
	kernels["add-too-many"] = addTooMany
	kernels["lost-wakeup"] = lostWakeup
	kernels["signal-for-many"] = signalForMany
	kernels["three-locks"] = threeLocks
	kernels["callback-under-lock"] = callbackUnderLock
}

type account struct {
	mutex sync.Mutex
	money int
}

// A method that holds the lock calls one that takes it, too.
func (a *account) pay(fixed bool) {
	a.mutex.Lock()
	if fixed {
		a.mutex.Unlock()
	}
	a.log()
	if !fixed {
		a.mutex.Unlock()
	}
}

func (a *account) log() {
	a.mutex.Lock() // bug double-lock: main.(*account).pay
	a.money++
	a.mutex.Unlock()
}

func doubleLock(fixed bool) {
	a := &account{}
	go a.pay(fixed)
	time.Sleep(5 * time.Millisecond)
}

// Two locks in two orders.
func transfer(from, to *account, all *sync.WaitGroup) {
	defer all.Done()
	from.mutex.Lock()
	time.Sleep(5 * time.Millisecond)
	to.mutex.Lock() // bug lock-order: main.transfer
	to.mutex.Unlock()
	from.mutex.Unlock()
}

func lockOrder(fixed bool) {
	var one, other account
	var all sync.WaitGroup
	all.Add(2)
	go transfer(&one, &other, &all)
	if fixed {
		go transfer(&one, &other, &all)
	} else {
		go transfer(&other, &one, &all)
	}
	all.Wait()
}

// A return between Lock and Unlock.
func (a *account) withdraw(money int, fixed bool, all *sync.WaitGroup) {
	defer all.Done()
	a.mutex.Lock()
	if money > a.money {
		if fixed {
			a.mutex.Unlock()
		}
		return // bug missing-unlock: main.(*account).withdraw
	}
	a.money -= money
	a.mutex.Unlock()
}

func (a *account) deposit(all *sync.WaitGroup) {
	defer all.Done()
	time.Sleep(5 * time.Millisecond)
	a.mutex.Lock()
	a.money++
	a.mutex.Unlock()
}

func missingUnlock(fixed bool) {
	var a account
	var all sync.WaitGroup
	all.Add(2)
	go a.withdraw(5, fixed, &all)
	go a.deposit(&all)
	all.Wait()
}

// Read locks within each other, and a writer that comes in between: it waits, and all readers after it.
type table struct {
	mutex sync.RWMutex
	rows  int
}

func (t *table) count(fixed bool, all *sync.WaitGroup) {
	defer all.Done()
	t.mutex.RLock()
	time.Sleep(10 * time.Millisecond)
	if !fixed {
		t.mutex.RLock() // bug read-lock-twice: main.(*table).count
		t.mutex.RUnlock()
	}
	t.mutex.RUnlock()
}

func (t *table) add(all *sync.WaitGroup) {
	defer all.Done()
	time.Sleep(4 * time.Millisecond)
	t.mutex.Lock()
	t.rows++
	t.mutex.Unlock()
}

func readLockTwice(fixed bool) {
	var t table
	var all sync.WaitGroup
	all.Add(2)
	go t.count(fixed, &all)
	go t.add(&all)
	all.Wait()
}

// A reader that becomes a writer without leaving first.
func (t *table) update(fixed bool, all *sync.WaitGroup) {
	defer all.Done()
	t.mutex.RLock()
	if fixed {
		t.mutex.RUnlock()
	}
	t.mutex.Lock() // bug upgrade: main.(*table).update
	t.rows++
	t.mutex.Unlock()
	if !fixed {
		t.mutex.RUnlock()
	}
}

func upgrade(fixed bool) {
	var t table
	var all sync.WaitGroup
	all.Add(1)
	go t.update(fixed, &all)
	all.Wait()
}

// One of several leaves without telling.
func helper(i int, fixed bool, all *sync.WaitGroup) {
	if i == 2 && !fixed {
		return // bug missing-done: main.helper
	}
	all.Done()
}

func missingDone(fixed bool) {
	var all sync.WaitGroup
	all.Add(4)
	for i := 0; i < 4; i++ {
		go helper(i, fixed, &all)
	}
	all.Wait()
}

// Who starts goroutines waits for all of them after the first.
func starter(fixed bool, done chan<- bool) {
	var all sync.WaitGroup
	all.Add(3)
	for i := 0; i < 3; i++ {
		go all.Done()
		if !fixed {
			all.Wait() // bug wait-inside: main.starter
		}
	}
	all.Wait()
	done <- true
}

func waitInside(fixed bool) {
	done := make(chan bool)
	go starter(fixed, done)
	<-done
}

// One more is announced than is started.
func organiser(fixed bool, done chan<- bool) {
	var all sync.WaitGroup
	count := 4
	if fixed {
		count = 3
	}
	all.Add(count)
	for i := 0; i < 3; i++ {
		go all.Done()
	}
	all.Wait() // bug add-too-many: main.organiser
	done <- true
}

func addTooMany(fixed bool) {
	done := make(chan bool)
	go organiser(fixed, done)
	<-done
}

// It is told before anybody waits, and who waits does not ask first.
type gate struct {
	mutex  sync.Mutex
	cond   *sync.Cond
	opened bool
}

func (g *gate) pass(fixed bool, done chan<- bool) {
	time.Sleep(10 * time.Millisecond)
	g.mutex.Lock()
	for !fixed || !g.opened {
		g.cond.Wait() // bug lost-wakeup: main.(*gate).pass
	}
	g.mutex.Unlock()
	done <- true
}

func (g *gate) open() {
	g.mutex.Lock()
	g.opened = true
	g.cond.Signal()
	g.mutex.Unlock()
}

func lostWakeup(fixed bool) {
	g, done := &gate{}, make(chan bool)
	g.cond = sync.NewCond(&g.mutex)
	go g.pass(fixed, done)
	go g.open()
	<-done
}

// Several wait, and one is told.
func (g *gate) enter(all *sync.WaitGroup) {
	defer all.Done()
	g.mutex.Lock()
	for !g.opened {
		g.cond.Wait()
	}
	g.mutex.Unlock()
}

func (g *gate) announce(fixed bool, all *sync.WaitGroup) {
	defer all.Done()
	time.Sleep(10 * time.Millisecond)
	g.mutex.Lock()
	g.opened = true
	if fixed {
		g.cond.Broadcast()
	} else {
		g.cond.Signal() // bug signal-for-many: main.(*gate).announce
	}
	g.mutex.Unlock()
}

func signalForMany(fixed bool) {
	var all sync.WaitGroup
	g := &gate{}
	g.cond = sync.NewCond(&g.mutex)
	all.Add(4)
	for i := 0; i < 3; i++ {
		go g.enter(&all)
	}
	go g.announce(fixed, &all)
	all.Wait()
}

// Three philosophers.
func dine(left, right *account, all *sync.WaitGroup) {
	defer all.Done()
	left.mutex.Lock()
	time.Sleep(5 * time.Millisecond)
	right.mutex.Lock() // bug three-locks: main.dine
	right.mutex.Unlock()
	left.mutex.Unlock()
}

func threeLocks(fixed bool) {
	var forks [3]account
	var all sync.WaitGroup
	all.Add(3)
	for i := 0; i < 3; i++ {
		left, right := &forks[i], &forks[(i+1)%3]
		if fixed && i == 2 {
			left, right = right, left
		}
		go dine(left, right, &all)
	}
	all.Wait()
}

// What is called while the lock is held takes it, far away from there.
type bus struct {
	mutex    sync.Mutex
	handlers []func()
}

func (b *bus) publish(fixed bool) {
	b.mutex.Lock()
	handlers := b.handlers
	if fixed {
		b.mutex.Unlock()
	}
	for _, handler := range handlers {
		handler()
	}
	if !fixed {
		b.mutex.Unlock()
	}
}

func (b *bus) subscribe(handler func()) {
	b.mutex.Lock() // bug callback-under-lock: main.(*bus).publish
	b.handlers = append(b.handlers, handler)
	b.mutex.Unlock()
}

func callbackUnderLock(fixed bool) {
	b := &bus{}
	b.subscribe(func() { b.subscribe(func() {}) })
	go b.publish(fixed)
	time.Sleep(5 * time.Millisecond)
}
