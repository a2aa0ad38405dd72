package daemon

import "testing"

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
