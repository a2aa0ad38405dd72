package server

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"perfdeck/session/system/failure"
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
	marked, err := ParseAccounts([]byte("\ufeffana:" + strings.Repeat("0", 32) + "\n"))
	if _, is := marked["ana"]; !is || err != nil {
		t.Errorf("behind a byte order mark: %v, %v", marked, err)
	}
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
		if line == 0 && err != nil || line > 0 && (err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("line %d: ", line))) {
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

// A password that is asked for is set in a file, or for one run beside it.
func TestPasswordsAreAskedFor(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts")
	says := func(password string) func() ([]byte, error) {
		return func() ([]byte, error) { return []byte(password), nil }
	}
	errAsked := errors.New("nobody answers")
	fails := func() ([]byte, error) { return nil, errAsked }
	for _, password := range []string{"old", "new"} { // the second replaces the first
		if err := SetPassword(file, "ana", says(password)); err != nil {
			t.Fatal(err)
		}
	}
	if err := SetPassword(file, "ana", fails); !errors.Is(err, errAsked) {
		t.Errorf("without a password: %v", err)
	}
	all, err := AccountsOf(file, "bob", says("other"))
	if err != nil || len(all) != 2 {
		t.Fatalf("%d accounts, %v", len(all), err)
	}
	if hash, ok := all.Find("ana"); !ok || hash != rpc.NTHash([]byte("new")) {
		t.Error("ana has another password")
	}
	if kept, err := ReadAccounts(file); err != nil || len(kept) != 1 {
		t.Errorf("%d accounts in the file, %v", len(kept), err)
	}
	if none, err := AccountsOf("", "", fails); err != nil || len(none) > 0 {
		t.Errorf("nobody: %d accounts, %v", len(none), err)
	}
	if _, err := AccountsOf("", "bob", fails); !errors.Is(err, errAsked) {
		t.Errorf("without a password: %v", err)
	}
	for name, err := range map[string]error{"file": SetPassword(file, " ", says("x")), "run": func() error { _, err := AccountsOf("", " ", says("x")); return err }()} {
		if _, wrong := errors.AsType[*failure.UsageError](err); !wrong {
			t.Errorf("%s: a name that none can have: %v", name, err)
		}
	}
	if err := os.WriteFile(file, []byte("nonsense"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := SetPassword(file, "ana", says("x")); err == nil {
		t.Error("a file of something else was replaced")
	}
}

// Of accounts that are added at once none is lost, and nothing stays beside the file.
func TestAccountsAtOnce(t *testing.T) {
	file := filepath.Join(t.TempDir(), "accounts")
	var running sync.WaitGroup
	for n := range 20 {
		running.Go(func() {
			for {
				err := SetPassword(file, fmt.Sprint("user", n), func() ([]byte, error) { return []byte("x"), nil })
				if errors.Is(err, osfile.ErrLocked) { // the disk is slow
					continue
				}
				if err != nil {
					t.Error(err)
				}
				return
			}
		})
	}
	running.Wait()
	if left, err := RemoveAccount(file, "user7"); left != 19 || err != nil {
		t.Errorf("%d accounts, %v", left, err)
	}
	if list, err := os.ReadDir(filepath.Dir(file)); len(list) != 1 || err != nil {
		t.Errorf("%v, %v", list, err)
	}
}
