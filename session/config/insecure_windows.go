package config

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"unsafe"

	"golang.org/x/sys/windows"

	"perfdeck/session/system/osfile"
	"perfdeck/session/text/printable"
)

// mayChange are the rights by which a file, or who may write it, is changed
// (winnt.h). Generic rights are mapped before they are kept.
const mayChange = windows.FILE_WRITE_DATA | windows.FILE_APPEND_DATA | windows.WRITE_DAC | windows.WRITE_OWNER |
	windows.GENERIC_WRITE | windows.GENERIC_ALL

// Types of entries (winnt.h). One with a callback has its SID where one without
// has it (MS-DTYP 2.4.4.6).
const (
	accessDeniedObject         = 0x6 // ACCESS_DENIED_OBJECT_ACE_TYPE
	accessAllowedCallback      = 0x9 // ACCESS_ALLOWED_CALLBACK_ACE_TYPE
	accessDeniedCallback       = 0xA // ACCESS_DENIED_CALLBACK_ACE_TYPE
	accessDeniedCallbackObject = 0xC // ACCESS_DENIED_CALLBACK_OBJECT_ACE_TYPE
)

// insecure looks at the owner and the access list of the open file.
func insecure(f *os.File, info fs.FileInfo) error {
	sd, err := windows.GetSecurityInfo(windows.Handle(f.Fd()), windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return &InsecureError{info.Name(), fmt.Sprintf("who may write it is not known: %v", err), "keep it on a disk of this computer, as NTFS"}
	}
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return &InsecureError{info.Name(), fmt.Sprintf("who asks is not known: %v", err), "sign in anew"}
	}
	return insecureTo(me.User.Sid, sd, info.Name())
}

// insecureTo checks that nobody else than a user, and those who may do anything,
// may write a file with this descriptor.
func insecureTo(me *windows.SID, sd *windows.SECURITY_DESCRIPTOR, name string) error {
	if owner, _, err := sd.Owner(); err != nil || owner == nil || !isTrusted(owner, me) {
		return &InsecureError{name, "it belongs to another user", "use a file of your own"}
	}
	list, _, err := sd.DACL()
	if err != nil || list == nil { // no list is full access for everybody
		return &InsecureError{name, "everybody may write it", grantMe(name)}
	}
	for i := range uint32(list.AceCount) {
		var ace *windows.ACCESS_ALLOWED_ACE
		if err := windows.GetAce(list, i, &ace); err != nil {
			return &InsecureError{name, fmt.Sprintf("who may write it is not known: %v", err), grantMe(name)}
		}
		if ace.Header.AceFlags&windows.INHERIT_ONLY_ACE != 0 || ace.Mask&mayChange == 0 {
			continue
		}
		switch ace.Header.AceType {
		case windows.ACCESS_ALLOWED_ACE_TYPE, accessAllowedCallback: // a condition may hold
		case windows.ACCESS_DENIED_ACE_TYPE, accessDeniedObject, accessDeniedCallback, accessDeniedCallbackObject:
			continue
		default: // for whom is elsewhere in it, as in those about objects
			return &InsecureError{name, fmt.Sprintf("an entry of type %d lets somebody write it", ace.Header.AceType), grantMe(name)}
		}
		if who := (*windows.SID)(unsafe.Pointer(&ace.SidStart)); !isTrusted(who, me) { //nolint:gosec // the SID stands there
			return &InsecureError{name, accountName(who) + " may write it", grantMe(name)}
		}
	}
	return nil
}

func grantMe(name string) string {
	return "icacls " + name + ` /inheritance:r /grant:r "%USERNAME%:F" SYSTEM:F Administrators:F`
}

// trusted are those who may do anything, or nothing that the owner may not.
var trusted = []windows.WELL_KNOWN_SID_TYPE{
	windows.WinLocalSystemSid, windows.WinBuiltinAdministratorsSid, windows.WinCreatorOwnerSid, windows.WinCreatorOwnerRightsSid,
}

// What the SID of an account of a computer or a domain begins with, and the last
// numbers of those who administer it: Administrator, Domain Admins, Enterprise
// Admins (MS-DTYP 2.4.2.4).
const accountAuthority = 21

var administrators = []uint32{500, 512, 519}

// installer is NT SERVICE\TrustedInstaller, which owns what came with Windows.
const installer = "S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464"

func isTrusted(who, me *windows.SID) bool {
	for _, kind := range trusted {
		if who.IsWellKnown(kind) {
			return true
		}
	}
	if n := uint32(who.SubAuthorityCount()); n == 5 && who.IdentifierAuthority() == windows.SECURITY_NT_AUTHORITY &&
		who.SubAuthority(0) == accountAuthority && slices.Contains(administrators, who.SubAuthority(n-1)) {
		return true
	}
	return who.Equals(me) || who.String() == installer
}

// accountName is a SID as people know it.
func accountName(who *windows.SID) string {
	account, domain, _, err := who.LookupAccount("")
	if err != nil {
		return who.String()
	}
	return printable.Text(strings.TrimPrefix(domain+`\`+account, `\`))
}

func insecureName(name string) error {
	f, err := osfile.OpenPlain(name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	return insecure(f, info)
}
