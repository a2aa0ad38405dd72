package server

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"perfdeck/session/system/osfile"
	"perfdeck/session/wire/rpc"
)

func TestAccountsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts")
	a := Accounts{}
	for _, name := range []string{"Perf", "DOMAIN:user", "Jürgen"} {
		if err := a.Add(name, []byte("secret of "+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Write(file); err != nil {
		t.Fatal(err)
	}
	b, err := ReadAccounts(file)
	if err != nil {
		t.Fatal(err)
	}
	for asked, name := range map[string]string{"perf": "Perf", "domain:USER": "DOMAIN:user", "JÜRGEN": "Jürgen"} {
		if hash, ok := b.Find(asked); !ok || hash != rpc.NTHash([]byte("secret of "+name)) {
			t.Errorf("%s: %v", asked, ok)
		}
	}
	if _, ok := b.Find("other"); ok || len(b) != 3 {
		t.Errorf("%d accounts", len(b))
	}
	if runtime.GOOS != "windows" {
		for _, mode := range []os.FileMode{0o640, 0o604, 0o620, 0o666} {
			if err := os.Chmod(file, mode); err != nil {
				t.Fatal(err)
			}
			_, err := ReadAccounts(file)
			if _, refused := errors.AsType[*osfile.SecretError](err); !refused {
				t.Errorf("mode %o: %v", mode, err)
			}
		}
	}
	if _, err := ReadAccounts(filepath.Dir(file)); err == nil {
		t.Error("a directory was read")
	}
}

func TestParseAccounts(t *testing.T) {
	const hash = "00112233445566778899aabbccddeeff"
	for text, line := range map[string]int{
		"":                                       0,
		"# nobody\n\n":                           0,
		"a:" + hash:                              0,
		" a : " + strings.ToUpper(hash) + "\r\n": 0,
		"a:" + hash + "\nb":                      2,
		"a:" + hash + "\n\nA:" + hash:            3,
		":" + hash:                               1,
		"a:" + hash[1:]:                          1,
		"a:" + hash + "00":                       1,
		"a:g" + hash[1:]:                         1,
		"a\x07:" + hash:                          1,
		strings.Repeat("a", 300) + ":" + hash:    1,
	} {
		_, err := ParseAccounts([]byte(text))
		var at *AccountError
		if line == 0 && err != nil || line > 0 && (!errors.As(err, &at) || at.Line != line) {
			t.Errorf("%q: %v, want line %d", text, err, line)
		}
		if err != nil && strings.Contains(err.Error(), hash[2:20]) {
			t.Errorf("%q: the error tells a hash: %v", text, err)
		}
	}
	if _, err := ParseAccounts(make([]byte, maxAccountsBytes+1)); err == nil {
		t.Error("a file of more than 1 MiB was read")
	}
}
