package service

import (
	"fmt"
	"io/fs"
	"testing"
)

func TestUnitWord(t *testing.T) {
	for word, want := range map[string]string{
		"--host=web01":           "--host=web01",
		`--alert=\M\% A>5`:       `"--alert=\\M\\%% A>5"`,
		`--alert=\M\"$x"`:        `"--alert=\\M\\\"$$x\""`,
		"":                       `""`,
		"--config=/etc/a b.toml": `"--config=/etc/a b.toml"`,
		"--alert=a;b":            `"--alert=a;b"`,
		"--alert=two\nlines":     `"--alert=two\x0alines"`,
		"--alert=\x1b\u202e\xff": `"--alert=\x1b\xe2\x80\xae\xff"`,
	} {
		if got := unitWord(word); got != want {
			t.Errorf("%q: %s, want %s", word, got, want)
		}
	}
}

// What systemd hands to another service is not wrong because this one may not read it.
func TestIsHandedToOthers(t *testing.T) {
	const mine = "/run/credentials/perfdeck-push.service"
	for _, one := range []struct {
		name, mine string
		err        error
		want       bool
	}{
		{"/run/credentials/perfdeck-watch.service/web01", "", fs.ErrPermission, true},
		{mine + "/token", mine, fs.ErrPermission, true}, // before a reload
		{"/etc/perfdeck/web01", mine, fs.ErrPermission, false},
		{"/run/credentials/perfdeck-watch.service/web01", mine, fs.ErrNotExist, true},
		{"/run/credentials/perfdeck-watch.service/web01", "", fs.ErrNotExist, false}, // of who sees all
		{mine + "/token", mine, fs.ErrNotExist, false},
	} {
		err := fmt.Errorf("read its password: %w", &fs.PathError{Op: "open", Path: one.name, Err: one.err})
		if IsHandedToOthers(err, one.mine) != one.want {
			t.Errorf("%+v: %t", one, !one.want)
		}
	}
}
