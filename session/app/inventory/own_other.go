//go:build !windows

package inventory

import (
	"perfdeck/session"
	"perfdeck/session/hosts/local"
	"perfdeck/session/system/osfile"
)

// ownBySystem opens this computer.
func (v *Inventory) ownBySystem() (session.Source, error) {
	return local.Open(local.Options{Go: v.o.Go})
}

// machineID is that of the system: machine-id(5), as D-Bus keeps it, hostid(5) of FreeBSD. Empty: it has
// none.
func machineID() string {
	const most = 128
	for _, name := range []string{"/etc/machine-id", "/var/lib/dbus/machine-id", "/etc/hostid"} {
		if text, err := osfile.ReadPlain(name, most); err == nil && len(text) > most/8 {
			return string(text)
		}
	}
	return ""
}
