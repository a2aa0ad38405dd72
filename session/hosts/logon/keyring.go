package logon

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"time"
	"unicode/utf16"

	"github.com/zalando/go-keyring"

	"perfdeck/session/system/failure"
)

// keyringTimeout is how long the keyring may take: it may have to ask the user
// to unlock it.
const keyringTimeout = time.Minute

var (
	errKeyringTime = errors.New("the keyring did not answer in time")
	errNoKeyring   = errors.New("no keyring service runs here")
)

// keyringPassword is the password of a service and an account in the keyring of
// the system.
func (a *Accounts) keyringPassword(ctx context.Context, of, service, account string) ([]byte, error) {
	text, err := a.askKeyring(ctx, service, account)
	if err == nil && text == "" {
		err = keyring.ErrNotFound
	}
	if err == nil {
		return keyringText(text), nil
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	hint := "start or unlock a keyring; without a desktop use password_file or password_command in the config"
	if errors.Is(err, keyring.ErrNotFound) {
		hint = storeHint(runtime.GOOS, service, account)
	}
	return nil, failure.WithHint(fmt.Errorf("get the password of %s from the keyring, service %s, account %s: %w", of, service, account, err), hint)
}

// askKeyring asks the keyring and waits no longer than it is worth. The keyring
// itself cannot be told to stop.
func (a *Accounts) askKeyring(ctx context.Context, service, account string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, keyringTimeout, errKeyringTime)
	defer cancel()
	ask := a.o.Keyring
	if ask == nil {
		ask = systemKeyring
	}
	type answer struct {
		text string
		err  error
	}
	answers := make(chan answer, 1)
	a.o.Go(func() {
		text, err := ask(service, account)
		answers <- answer{text, err}
	})
	select {
	case a := <-answers:
		return a.text, a.err
	case <-ctx.Done():
		return "", context.Cause(ctx)
	}
}

// systemKeyring asks the keyring of the system. Without a session bus it is not
// asked: its library would start one.
func systemKeyring(service, account string) (string, error) {
	if runtime.GOOS != "windows" && runtime.GOOS != "darwin" && !hasSessionBus() {
		return "", errNoKeyring
	}
	return keyring.Get(service, account)
}

// hasSessionBus looks where the D-Bus specification and systemd have its address.
func hasSessionBus() bool {
	if os.Getenv("DBUS_SESSION_BUS_ADDRESS") != "" {
		return true
	}
	for _, name := range []string{"bus", "dbus-session"} {
		if _, err := os.Stat(filepath.Join("/run/user", strconv.Itoa(os.Getuid()), name)); err == nil {
			return true
		}
	}
	return false
}

// keyringText is the password as bytes. Windows' own tools keep it in UTF-16, in
// which all but the rarest have zero bytes; no password has any.
func keyringText(text string) []byte {
	b := []byte(text)
	if len(b)%2 == 0 && bytes.IndexByte(b, 0) >= 0 {
		defer clear(b)
		units := make([]uint16, len(b)/2)
		defer clear(units)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(b[2*i:])
		}
		return []byte(string(utf16.Decode(units)))
	}
	return b
}

// storeHint says how a password gets into the keyring.
func storeHint(goos, service, account string) string {
	switch goos {
	case "windows":
		return fmt.Sprintf("store it: cmdkey /generic:%s:%s /user:%[2]s /pass", service, account)
	case "darwin":
		return fmt.Sprintf("store it: security add-generic-password -s '%s' -a '%s' -w", service, account)
	}
	return fmt.Sprintf("store it: secret-tool store --label='%s' service '%[1]s' username '%s'", service, account)
}
