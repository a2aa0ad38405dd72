//go:build unix

package osfile

import "encoding/binary"

// Tags of entries of an access list, see include/uapi/linux/posix_acl.h.
const (
	aclUserObj  = 0x01
	aclUser     = 0x02
	aclGroupObj = 0x04
	aclGroup    = 0x08
	aclMask     = 0x10
	aclOther    = 0x20
)

// aclOthers tells whether an access list gives anything to others than the owner of its file,
// root and one user. systemd gives credentials to the user of a service by one: the file is
// root's, and shows mode 0440 (exec-credential.c). The list is a version, 2, and entries of a
// tag, permissions and a user or group, little-endian (posix_acl_xattr.h). One that is
// anything else gives to others.
func aclOthers(list []byte, user int) bool {
	const version, entry = 4, 8
	le := binary.LittleEndian
	if len(list) < version || le.Uint32(list) != 2 || (len(list)-version)%entry != 0 {
		return true
	}
	given, mask := uint16(0), uint16(0o7)
	for e := list[version:]; len(e) > 0; e = e[entry:] {
		perm, id := le.Uint16(e[2:]), le.Uint32(e[4:])
		switch tag := le.Uint16(e); {
		case tag == aclUserObj, tag == aclUser && (id == 0 || int64(id) == int64(user)):
		case tag == aclMask:
			mask = perm
		case tag == aclOther && perm != 0:
			return true
		case tag == aclUser, tag == aclGroupObj, tag == aclGroup:
			given |= perm
		case tag != aclOther:
			return true
		}
	}
	return given&mask != 0
}
