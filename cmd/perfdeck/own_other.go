//go:build !windows

package main

import (
	"perfdeck/session"
	"perfdeck/session/source/local"
)

// openOwn opens this computer.
func (p *program) openOwn() (session.Source, error) {
	return local.Open(local.Options{Go: p.guard.Go})
}
