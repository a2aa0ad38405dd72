package osfile

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

type entry struct {
	tag, perm uint16
	id        uint32
}

func aclOf(entries ...entry) []byte {
	list := []byte{2, 0, 0, 0}
	for _, e := range entries {
		list = binary.LittleEndian.AppendUint16(list, e.tag)
		list = binary.LittleEndian.AppendUint16(list, e.perm)
		list = binary.LittleEndian.AppendUint32(list, e.id)
	}
	return list
}

const none = ^uint32(0)

// given is the list of a file of mode 0400 to which entries were added, as setfacl -m makes it.
func given(mask uint16, more ...entry) []byte {
	all := []entry{{aclUserObj, 4, none}}
	for _, tag := range []uint16{aclUser, aclGroupObj, aclGroup} {
		if tag == aclGroupObj {
			all = append(all, entry{tag, 0, none})
		}
		for _, e := range more {
			if e.tag == tag {
				all = append(all, e)
			}
		}
	}
	return aclOf(append(all, entry{aclMask, mask, none}, entry{aclOther, 0, none})...)
}

// A file of this user or root that an access list gives to this user is as good as one of mode
// 0400; one that gives it to anybody else is not.
func TestOpenSecretByAccessList(t *testing.T) {
	me := uint32(os.Geteuid())
	for what, c := range map[string]struct {
		list []byte
		mode os.FileMode
		fine bool
	}{
		"a credential":       {given(4, entry{aclUser, 4, me}), 0o440, true},
		"and root":           {given(4, entry{aclUser, 4, 0}, entry{aclUser, 4, me}), 0o440, true},
		"masked":             {given(0, entry{aclUser, 4, 4711}), 0o400, true},
		"another user":       {given(4, entry{aclUser, 4, me}, entry{aclUser, 4, 4711}), 0o440, false},
		"another group":      {given(4, entry{aclUser, 4, me}, entry{aclGroup, 4, 4711}), 0o440, false},
		"another may write":  {given(2, entry{aclUser, 2, 4711}), 0o420, false},
		"its own group":      {aclOf(entry{aclUserObj, 4, none}, entry{aclUser, 4, me}, entry{aclGroupObj, 4, none}, entry{aclMask, 4, none}, entry{aclOther, 0, none}), 0o440, false},
		"everybody":          {aclOf(entry{aclUserObj, 4, none}, entry{aclUser, 4, me}, entry{aclGroupObj, 0, none}, entry{aclMask, 4, none}, entry{aclOther, 4, none}), 0o444, false},
		"its group, no list": {nil, 0o440, false},
	} {
		t.Run(what, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "password")
			if err := os.WriteFile(name, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			if c.list == nil {
				_ = os.Chmod(name, c.mode)
			} else if err := unix.Setxattr(name, "system.posix_acl_access", c.list, 0); errors.Is(err, unix.ENOTSUP) {
				t.Skip("no access lists here")
			} else if err != nil {
				t.Fatal(err)
			}
			if info, _ := os.Stat(name); info.Mode() != c.mode {
				t.Errorf("mode %o", info.Mode())
			}
			f, err := OpenSecret(name)
			if err == nil {
				_ = f.Close()
			}
			refused, is := errors.AsType[*SecretError](err)
			if (err == nil) != c.fine || !c.fine && (!is || refused.Hint() == "") {
				t.Errorf("%v", err)
			}
		})
	}
}

// What takes the place of a file has its access list: what the list gave at most is no right of the group.
func TestWriteKeepsAccessList(t *testing.T) {
	name := filepath.Join(t.TempDir(), "accounts")
	if err := os.WriteFile(name, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	list := given(4, entry{aclUser, 4, uint32(os.Geteuid())})
	if err := unix.Setxattr(name, accessListName, list, 0); errors.Is(err, unix.ENOTSUP) {
		t.Skip("no access lists here")
	} else if err != nil {
		t.Fatal(err)
	}
	if err := Write(name, []byte("b"), false); err != nil {
		t.Fatal(err)
	}
	f, err := OpenSecret(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if got := accessList(f); !bytes.Equal(got, list) {
		t.Errorf("the list is %v, want %v", got, list)
	}
}

// Whatever is no list of entries that are known gives to others.
func FuzzACLOthers(f *testing.F) {
	f.Add(given(4, entry{aclUser, 4, 7}))
	f.Add([]byte{2, 0, 0, 0, 1})
	f.Add([]byte{1, 0, 0, 0})
	f.Fuzz(func(t *testing.T, list []byte) {
		if aclOthers(list, 7) {
			return
		}
		if (len(list)-4)%8 != 0 {
			t.Fatal("part of an entry is taken")
		}
		for _, more := range []entry{{aclOther, 1, none}, {0x40, 0, none}} {
			if !aclOthers(append(list, aclOf(more)[4:]...), 7) {
				t.Errorf("%v is taken", more)
			}
		}
	})
}
