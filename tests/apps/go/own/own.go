// Package own is nothing but its tests.
package own
