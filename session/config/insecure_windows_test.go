package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// TestInsecureLists checks owners and access lists, in SDDL.
func TestInsecureLists(t *testing.T) {
	const me, other = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002"
	user, err := windows.StringToSid(me)
	if err != nil {
		t.Fatal(err)
	}
	for sddl, refused := range map[string]bool{
		"O:" + me + "D:(A;;FA;;;" + me + ")(A;;FA;;;SY)(A;;FA;;;BA)": false,
		"O:BAD:(A;;FA;;;" + me + ")":                                 false,
		"O:" + me + "D:(A;;FR;;;WD)(A;;FA;;;" + me + ")":             false,
		"O:" + me + "D:(A;IOOI;FA;;;WD)(A;;FA;;;" + me + ")":         false,
		"O:" + me + "D:(A;;FA;;;S-1-5-21-1-2-3-512)":                 false,
		"O:" + me + "D:":                                            false,
		"O:" + me + "D:(A;;FA;;;WD)":                                true,
		"O:" + me + "D:(A;ID;0x1301bf;;;AU)(A;ID;FA;;;BA)":          true,
		"O:" + me + "D:(A;;FW;;;BU)":                                true,
		"O:" + me + "D:(A;;WD;;;" + other + ")":                     true,
		"O:" + me + "D:(A;;FA;;;" + me + ")(A;;FA;;;" + other + ")": true,
		"O:" + other + "D:(A;;FA;;;" + me + ")":                     true,
	} {
		sd, err := windows.SecurityDescriptorFromString(sddl)
		if err != nil {
			t.Errorf("%s: %v", sddl, err)
			continue
		}
		err = insecureTo(user, sd, "config.toml")
		e, is := errors.AsType[*InsecureError](err)
		if is != refused || is && e.Hint() == "" {
			t.Errorf("%s: %v", sddl, err)
		}
	}
}

// TestInsecureKinds checks what entries with conditions, and about objects, do. The
// type of an entry is put into a list, as not every system reads them in SDDL.
func TestInsecureKinds(t *testing.T) {
	const me, other = "S-1-5-21-1-2-3-1001", "S-1-5-21-1-2-3-1002"
	user, err := windows.StringToSid(me)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		what    string
		kind    uint8
		flags   string
		rights  string
		who     string
		refused bool
	}{
		{"denied", windows.ACCESS_DENIED_ACE_TYPE, "", "FA", other, false},
		{"compound", 4, "", "FA", me, true},
		{"object", 5, "", "FA", other, true},
		{"object, to read", 5, "", "FR", other, false},
		{"object, for what is below", 5, "OIIO", "FA", other, false},
		{"denied object", accessDeniedObject, "", "FA", other, false},
		{"callback", accessAllowedCallback, "", "FA", other, true},
		{"callback, to read", accessAllowedCallback, "", "FR", other, false},
		{"callback, for oneself", accessAllowedCallback, "", "FA", me, false},
		{"callback, for what is below", accessAllowedCallback, "OIIO", "FA", other, false},
		{"denied callback", accessDeniedCallback, "", "FA", other, false},
		{"callback object", 0xB, "", "FA", other, true},
		{"denied callback object", accessDeniedCallbackObject, "", "FA", other, false},
	} {
		sd, err := windows.SecurityDescriptorFromString("O:" + me + "D:(A;" + c.flags + ";" + c.rights + ";;;" + c.who + ")")
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := sd.DACL()
		if err != nil {
			t.Fatal(err)
		}
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, 0, &ace); err != nil {
			t.Fatal(err)
		}
		ace.Header.AceType = c.kind
		if err := insecureTo(user, sd, "config.toml"); (err != nil) != c.refused {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// TestInsecureWithoutList: no list lets everybody do anything.
func TestInsecureWithoutList(t *testing.T) {
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	sd, err := windows.NewSecurityDescriptor()
	if err != nil || sd.SetOwner(me.User.Sid, false) != nil || sd.SetDACL(nil, true, false) != nil {
		t.Fatal(err)
	}
	if insecureTo(me.User.Sid, sd, "config.toml") == nil {
		t.Error("trusted")
	}
}

// TestInsecureFile reads the list of a file.
func TestInsecureFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "config.toml")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		t.Fatal(err)
	}
	for sddl, refused := range map[string]bool{
		"D:P(A;;FA;;;" + me.User.Sid.String() + ")":             false,
		"D:P(A;;FA;;;" + me.User.Sid.String() + ")(A;;FA;;;WD)": true,
	} {
		sd, err := windows.SecurityDescriptorFromString(sddl)
		if err != nil {
			t.Fatal(err)
		}
		list, _, err := sd.DACL()
		if err != nil {
			t.Fatal(err)
		}
		if err := windows.SetNamedSecurityInfo(name, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, list, nil); err != nil {
			t.Skip("no access lists here: ", err)
		}
		_, _, err = loadAs(t.Context(), name, false)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := f.Stat()
		if err := insecure(f, info); (err != nil) != refused {
			t.Errorf("%s: %v", sddl, err)
		}
		_ = f.Close()
	}
}
