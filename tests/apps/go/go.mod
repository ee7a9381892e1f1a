module example.org/goroutines

go 1.19
