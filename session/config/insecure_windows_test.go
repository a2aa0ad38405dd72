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
		_, _, err = load(name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		info, _ := f.Stat()
		if err := Insecure(f, info); (err != nil) != refused {
			t.Errorf("%s: %v", sddl, err)
		}
		_ = f.Close()
	}
}
