package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/session/text/printable"
)

// absolute is an absolute path on every system, in TOML.
var absolute = func() string {
	if runtime.GOOS == "windows" {
		return `C:\keys\web`
	}
	return "/keys/web"
}()

func TestHosts(t *testing.T) {
	c, warnings, err := Parse("f", []byte(`
[[host]]
name = "web01"
address = "tcp://web01.example.com:14500"
user = 'CORP\ana'
password_file = '`+absolute+`'
watch = true
[[host]]
name = "db"
address = "db.example.com"
password_command = ["pass", "show", "db", ""]
shares = { 'C:\PerfLogs' = "perflogs", "d:\\" = "d" }
[[host]]
name = "Mail"
address = "tcp://[::1]"
user = "ana@corp.example.com"
keyring = "perf deck"
watch = false
[[host]]
name = "bare"
address = "tcp://10.1.2.3"
password_file = "~/bare"
`))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := []Host{
		{Name: "web01", Address: "tcp://web01.example.com:14500", User: `CORP\ana`, Password: PasswordRef{File: absolute}, Watch: true},
		{Name: "db", Address: "db.example.com", Password: PasswordRef{Command: []string{"pass", "show", "db", ""}}, Shares: map[string]string{`C:\PerfLogs`: "perflogs", `d:\`: "d"}},
		{Name: "Mail", Address: "tcp://[::1]", User: "ana@corp.example.com", Password: PasswordRef{Keyring: "perf deck"}},
		{Name: "bare", Address: "tcp://10.1.2.3", Password: PasswordRef{File: "~/bare"}},
	}
	if !reflect.DeepEqual(c.Hosts, want) {
		t.Errorf("hosts %+v, want %+v", c.Hosts, want)
	}
	for name, found := range map[string]string{"mail": "Mail", "MAIL": "Mail", "web01": "web01", "web": "", "": "", "tcp://10.1.2.3": ""} {
		if h, ok := c.Host(name); h.Name != found || ok != (found != "") {
			t.Errorf("%q found %+v, %v", name, h, ok)
		}
	}
}

// secret is a password that somebody wrote into the file.
const secret = "hunter2-hunter2"

// Wrong hosts are told with their place; a secret in them is not.
func TestWrongHosts(t *testing.T) {
	const host = "[[host]]\nname = 'a'\naddress = 'tcp://a:1'\n"
	for _, c := range []struct {
		text         string
		line, column int
		key          string
	}{
		{"host = 1", 1, 8, "host"},
		{"[host]\nname = 'a'", 1, 2, "host"},
		{"[[host]]\naddress = 'tcp://a:1'", 1, 3, "host[1].name"},
		{"[[host]]\nname = 'a'", 1, 3, "host[1].address"},
		{host + host, 5, 8, "host[2].name"},
		{host + strings.Replace(host, "'a'", "'A'", 1), 5, 8, "host[2].name"},
		{host + "user = ''", 4, 8, "host[1].user"},
		{host + `user = 'CORP\'`, 4, 8, "host[1].user"},
		{host + `user = "CORP\name"`, 4, 8, "host[1].user"},
		{host + "watch = 'yes'", 4, 9, "host[1].watch"},
		{host + "shares = 'C$'", 4, 10, "host[1].shares"},
		{host + "shares = { PerfLogs = 'perflogs' }", 4, 12, "host[1].shares.PerfLogs"},
		{host + `shares = { 'C:\PerfLogs' = 'a\b' }`, 4, 28, `host[1].shares.'C:\PerfLogs'`},
		{host + "password = '" + secret + "'", 4, 12, "host[1].password"},
		{host + "password = 5", 4, 12, "host[1].password"},
		{host + "password_file = '" + secret + "'", 4, 17, "host[1].password_file"},
		{host + "password_file = './" + secret + "'", 4, 17, "host[1].password_file"},
		{host + "password_file = '~/'", 4, 17, "host[1].password_file"},
		{host + "password_file = ['" + secret + "']", 4, 1, "host[1].password_file"},
		{host + "password_command = '" + secret + "'", 4, 20, "host[1].password_command"},
		{host + "password_command = []", 4, 1, "host[1].password_command"},
		{host + "password_command = ['']", 4, 1, "host[1].password_command"},
		{host + "password_command = ['a', 1]", 4, 1, "host[1].password_command"},
		{host + `password_command = ["a", "` + secret + `\u0000"]`, 4, 1, "host[1].password_command"},
		{host + "password_command = ['./" + secret + "']", 4, 1, "host[1].password_command"},
		{host + "password_command = ['" + strings.Repeat("x','", maxCommandArgs) + "']", 4, 1, "host[1].password_command"},
		{host + "keyring = ''", 4, 11, "host[1].keyring"},
		{host + "keyring = ' " + secret + "'", 4, 11, "host[1].keyring"},
		{host + "keyring = 'a'\npassword_file = '~/" + secret + "'", 5, 17, "host[1].password_file"},
		{host + "password_command = ['a']\nkeyring = 'a'", 4, 1, "host[1].password_command"},
	} {
		t.Run(printable.Shorten(c.text, mostShown), func(t *testing.T) {
			_, warnings, err := Parse("f", []byte(c.text))
			e, ok := errors.AsType[*FileError](err)
			if !ok {
				t.Fatalf("error %v", err)
			}
			if e.Line != c.line || e.Column != c.column || e.Key != c.key || e.Reason == "" || e.Expected == "" {
				t.Errorf("%d:%d %q, want %d:%d %q: %v", e.Line, e.Column, e.Key, c.line, c.column, c.key, e)
			}
			if text := e.Error() + e.Hint(); strings.Contains(text, secret) || len(warnings) > 0 {
				t.Errorf("%s %v", text, warnings)
			}
		})
	}
}

func TestNamesAndAddressesOfHosts(t *testing.T) {
	accepts := func(name, address string) bool {
		_, _, err := Parse("f", []byte("[[host]]\nname = '"+name+"'\naddress = '"+address+"'\n"))
		return err == nil
	}
	for _, name := range []string{"local", "Local", ".", "", "a b", `a\b`, "tcp://a", "a/b", "\x1b[1m", strings.Repeat("x", maxNameLen+1)} {
		if accepts(name, "tcp://a:1") {
			t.Errorf("name %q", name)
		}
	}
	for _, address := range []string{"", "tcp://", "tcp://:1", "tcp://a:0", "tcp://a:65536", "tcp://a:x", "tcp://::1", "tcp://a b", "http://a", "tcp://a/b", `\\a`} {
		if accepts("a", address) {
			t.Errorf("address %q", address)
		}
	}
	for _, address := range []string{"a", "a:445", "[::1]:445", "tcp://a", "tcp://a:65535", "tcp://[::1]:1", "tcp://[fe80::1]", "local"} {
		if !accepts("a", address) {
			t.Errorf("address %q is refused", address)
		}
	}
}

// No damage to a file makes its message tell a secret.
func TestNoSecretInMessages(t *testing.T) {
	text := wholeFile + "[[host]]\nname = 'a'\naddress = 'tcp://a:1'\n" +
		"user = 'ana'\npassword = '" + secret + "'\npasswort = '" + secret + "'\npassword_file = '" + secret +
		"'\nkeyring = [\"" + secret + "\"]\npassword_command = [\"sh\", \"-c\", \"echo " + secret + "\"]\n"
	from := strings.Index(text, "[[host]]")
	for i := from; i < len(text); i++ {
		for _, damage := range []string{"", "\"", "'", "=", "\n", "\\", "#", "]", "\x00", "\xff", "x"} {
			_, warnings, err := Parse("f", []byte(text[:i]+damage+text[i+1:]))
			said := fmt.Sprint(err)
			if e, ok := errors.AsType[*FileError](err); ok {
				said += e.Hint()
			}
			for _, w := range warnings {
				said += w.String() + w.Hint()
			}
			if strings.Contains(said, "hunter2") {
				t.Fatalf("byte %d as %q: %s", i, damage, said)
			}
		}
	}
}

// A file that others may write must not name programs: the line that does is told.
func TestCommandInAFileOfOthers(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("mode bits say nothing about others on Windows")
	}
	const host = "[[host]]\nname = 'a'\naddress = 'tcp://a:1'\n"
	for _, c := range []struct {
		text    string
		mode    fs.FileMode
		refused bool
	}{
		{host + "password_command = ['x']", 0o600, false},
		{host + "password_command = ['x']", 0o644, false},
		{host + "password_command = ['x']", 0o664, true},
		{host + "password_command = ['x']", 0o602, true},
		{host + "password_file = '/x'", 0o644, false},
	} {
		file := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(file, c.mode); err != nil {
			t.Fatal(err)
		}
		_, _, err := Load(t.Context(), file)
		insecure, ok := errors.AsType[*InsecureError](err)
		if ok != c.refused {
			t.Errorf("mode %o: %v", c.mode, err)
		}
		if e, _ := errors.AsType[*FileError](err); ok && (e.Key != "host[1].password_command" || e.Line != 4 || e.Hint() != insecure.Hint()) {
			t.Errorf("%v, hint %q", e, e.Hint())
		}
	}
}

// What a host writes down counts from a level on, or not at all.
func TestEventsOfHosts(t *testing.T) {
	const host = "[[host]]\nname = \"web01\"\naddress = \"web01.example.com\"\n"
	for text, want := range map[string][]session.EventLevel{
		"": nil, "events = []\n": {}, "events = [\"warning\"]\n": {session.EventWarning}, "events = [\"critical\", \"error\"]\n": {session.EventCritical, session.EventError},
	} {
		c, _, err := Parse("f", []byte(host+text))
		if err != nil || (c.Hosts[0].Events == nil) != (want == nil) || !slices.Equal(c.Hosts[0].Events, want) {
			t.Errorf("%q: %v, %v", text, c.Hosts, err)
		}
	}
	_, _, err := Parse("f", []byte(host+"events = [\"loud\"]\n"))
	if e, ok := errors.AsType[*FileError](err); !ok || e.Key != "host[1].events" {
		t.Error(err)
	}
}
