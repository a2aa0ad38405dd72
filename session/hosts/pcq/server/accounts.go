package server

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"perfdeck/paths"
	"perfdeck/session/system/failure"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/store"
	"perfdeck/session/wire/rpc"
)

// Accounts are the NT hashes of those who may log on, by account name. Names
// are compared without case; use Add. A hash is as secret as the password.
type Accounts map[string][16]byte

// Find gives the hash of an account, as rpc.Accounts.
func (a Accounts) Find(name string) (hash [16]byte, ok bool) {
	hash, ok = a[paths.Fold(name)]
	return hash, ok
}

// Add adds an account with its password, or gives it a new one.
func (a Accounts) Add(name string, password []byte) error {
	if problem := checkAccountName(name); problem != "" {
		return fmt.Errorf("add account: %s", problem)
	}
	a[paths.Fold(name)] = rpc.NTHash(password)
	return nil
}

const (
	maxAccountsBytes = 1 << 20
	maxAccountName   = 256 // characters
)

// ReadAccounts reads an accounts file: `name:NT hash` on each line, the hash as
// 32 hexadecimal digits; empty lines and those that begin with # are skipped.
// Nobody but its owner may use the file, see osfile.OpenSecret.
func ReadAccounts(file string) (Accounts, error) {
	text, err := osfile.ReadSecret(file, maxAccountsBytes)
	defer clear(text)
	if err != nil {
		return nil, fmt.Errorf("read accounts: %w", err)
	}
	a, err := ParseAccounts(text)
	if err != nil {
		return nil, fmt.Errorf("read accounts of %s: %w", file, err)
	}
	return a, nil
}

// AccountsOf are the accounts of a file, and one more, whose password is asked for; either
// may be empty. There may be none: who took the last one away wants nobody to log on any more.
// *session.UsageError is a name that no account can have.
func AccountsOf(file, account string, password func() ([]byte, error)) (a Accounts, err error) {
	a = Accounts{}
	if file != "" {
		if a, err = ReadAccounts(file); err != nil {
			return nil, err
		}
	}
	if account != "" {
		if err := a.ask(account, password); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// SetPassword asks for the password of an account and puts it into a file, which is made
// if it is not there. *session.UsageError is a name that no account can have.
func SetPassword(file, account string, password func() ([]byte, error)) error {
	if _, err := readOrNone(file); err != nil {
		return err // before anybody types a password
	}
	asked := Accounts{}
	if err := asked.ask(account, password); err != nil {
		return err
	}
	return changeAccounts(file, readOrNone, func(a Accounts) error {
		maps.Copy(a, asked)
		return nil
	})
}

// readOrNone reads a file, which need not be there.
func readOrNone(file string) (Accounts, error) {
	a, err := ReadAccounts(file)
	if errors.Is(err, os.ErrNotExist) {
		return Accounts{}, nil
	}
	return a, err
}

// changeAccounts changes a file, while no other process does.
func changeAccounts(file string, read func(string) (Accounts, error), change func(Accounts) error) error {
	const patience = 3 * time.Second
	whole, err := osfile.Target(file) // whatever it is called by
	if err != nil {
		return fmt.Errorf("serve passwd: %w", err)
	}
	lock, err := osfile.Take(filepath.Join(filepath.Dir(whole), "."+filepath.Base(whole)+".lock"), patience)
	if err != nil {
		return fmt.Errorf("serve passwd: %w", err)
	}
	defer osfile.Discard(lock)
	a, err := read(file)
	if err == nil {
		err = change(a)
	}
	if err != nil {
		return err
	}
	if err := a.Write(file); err != nil {
		return fmt.Errorf("serve passwd: %w", err)
	}
	return nil
}

// ErrNoSuchAccount says that a file does not have an account.
var ErrNoSuchAccount = errors.New("it has no such account")

// RemoveAccount takes an account out of a file, and tells how many are left there.
func RemoveAccount(file, account string) (left int, err error) {
	err = changeAccounts(file, ReadAccounts, func(a Accounts) error {
		if _, ok := a.Find(account); !ok {
			return failure.Usage(fmt.Errorf("serve passwd: remove %s of %s: %w", account, file, ErrNoSuchAccount))
		}
		delete(a, paths.Fold(account))
		left = len(a)
		return nil
	})
	return left, err
}

// Changes tells who is in another besides (+), is not (-), and has another password there (*).
func (a Accounts) Changes(to Accounts) (out []string) {
	for name, hash := range a {
		switch is, ok := to[name]; {
		case !ok:
			out = append(out, "-"+name)
		case is != hash:
			out = append(out, "*"+name)
		}
	}
	for name := range to {
		if _, had := a[name]; !had {
			out = append(out, "+"+name)
		}
	}
	slices.Sort(out)
	return out
}

func (a Accounts) ask(account string, password func() ([]byte, error)) error {
	secret, err := password()
	if err != nil {
		return err
	}
	if err := a.Add(account, secret); err != nil {
		return failure.Usage(err)
	}
	return nil
}

// ParseAccounts reads the text of an accounts file. Its errors are of type
// *AccountError, but for a text of more than 1 MiB.
func ParseAccounts(text []byte) (Accounts, error) {
	if len(text) > maxAccountsBytes {
		return nil, fmt.Errorf("more than %d bytes", maxAccountsBytes)
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff")) // as Windows' editors begin a file
	a := Accounts{}
	n := 0
	for line := range bytes.Lines(text) {
		n++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if problem := a.parseLine(string(line)); problem != "" {
			return nil, fmt.Errorf("line %d: %s", n, problem) // never the line itself
		}
	}
	return a, nil
}

// parseLine adds the account of a line. A name may hold colons, a hash cannot.
func (a Accounts) parseLine(line string) (problem string) {
	i := strings.LastIndexByte(line, ':')
	if i < 0 {
		return "want name:hash"
	}
	name, digits := strings.TrimSpace(line[:i]), strings.TrimSpace(line[i+1:])
	if problem := checkAccountName(name); problem != "" {
		return problem
	}
	hash, err := hex.DecodeString(digits)
	if err != nil || len(hash) != len([16]byte{}) {
		return "the hash is not 32 hexadecimal digits"
	}
	if _, twice := a.Find(name); twice {
		return "the name was given before"
	}
	a[paths.Fold(name)] = [16]byte(hash)
	return ""
}

func checkAccountName(name string) (problem string) {
	switch {
	case name == "":
		return "the name is empty"
	case !utf8.ValidString(name) || strings.ContainsFunc(name, unicode.IsControl):
		return "the name has characters that no name can have"
	case utf8.RuneCountInString(name) > maxAccountName:
		return "the name is too long"
	case name[0] == '#' || strings.TrimSpace(name) != name:
		return "the name begins with # or a blank, or ends with a blank"
	}
	return ""
}

// Write replaces an accounts file, so that it is whole or as it was, and whose it was; a new one
// has mode 0600.
func (a Accounts) Write(file string) error {
	text := a.text()
	defer clear(text)
	return (&store.Document{Name: file, Most: maxAccountsBytes}).Write(text)
}

// text is the text of an accounts file.
func (a Accounts) text() []byte {
	var b []byte
	for _, name := range slices.Sorted(maps.Keys(a)) {
		b = fmt.Appendf(b, "%s:%x\n", name, a[name])
	}
	return b
}
