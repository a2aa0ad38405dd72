package server

import (
	"crypto/sha1" //nolint:gosec // what RFC 9562 5.5 asks for, and no secret

	"perfdeck/paths"
	"perfdeck/session/wire/perflib"
)

// namespace is the name space of the GUIDs given here:
// 3f5be0a6-92c7-4d1e-8f0b-6a7c41d95e28, in the order of RFC 9562.
var namespace = [16]byte{0x3f, 0x5b, 0xe0, 0xa6, 0x92, 0xc7, 0x4d, 0x1e, 0x8f, 0x0b, 0x6a, 0x7c, 0x41, 0xd9, 0x5e, 0x28}

// CountersetGUID is the GUID under which a counterset without one is published:
// a UUID of version 5 (RFC 9562 5.5) of "counterset/" and its folded name. It
// is the same on every host.
func CountersetGUID(name string) perflib.GUID { return nameGUID("counterset/" + paths.Fold(name)) }

// ProviderGUID is the GUID of a provider that has none, of "provider/" and its
// folded name.
func ProviderGUID(name string) perflib.GUID { return nameGUID("provider/" + paths.Fold(name)) }

func nameGUID(name string) perflib.GUID {
	sum := sha1.Sum(append(namespace[:], name...)) //nolint:gosec // as above
	u := [16]byte(sum[:16])
	u[6] = u[6]&0x0F | 0x50 // version
	u[8] = u[8]&0x3F | 0x80 // variant
	// Three fields are little-endian on the wire.
	return perflib.GUID{u[3], u[2], u[1], u[0], u[5], u[4], u[7], u[6], u[8], u[9], u[10], u[11], u[12], u[13], u[14], u[15]}
}
