//go:build race

package replay

// isRace tells that the race detector looks on: everything takes ten times as long
// then, SQLite even more.
const isRace = true
