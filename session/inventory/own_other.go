//go:build !windows

package inventory

import (
	"perfdeck/session"
	"perfdeck/session/source/local"
)

// ownBySystem opens this computer.
func (v *Inventory) ownBySystem() (session.Source, error) {
	return local.Open(local.Options{Go: v.o.Go})
}
