package exporter

import (
	"crypto/tls"
	"fmt"
	"strings"
	"testing"
)

const hash = "$2y$04$abcdefghijklmnopqrstuuN9qo8uLOickgx2ZMRZoMyeIjZAgcfl7"

// A file as the documents of exporter-toolkit have it is read, whatever its quotes.
func TestWebConfig(t *testing.T) {
	for _, text := range []string{
		"tls_server_config:\n  cert_file: a.crt\n  key_file: a.key\n  client_auth_type: RequireAndVerifyClientCert\n  client_ca_file: ca.crt\n  min_version: TLS13\nbasic_auth_users:\n  ana: " + hash + "\n",
		"# web\r\n---\r\n\"tls_server_config\": # tls\r\n    'cert_file': 'a.crt'\r\n    key_file: \"a.key\"  # key\r\n\r\n    client_auth_type: \"RequireAndVerifyClientCert\"\r\n    client_ca_file: ca.crt\r\n    min_version: TLS13\r\nbasic_auth_users:\r\n    ana: '" + hash + "'",
	} {
		c, err := ParseWebConfig([]byte(text))
		if err != nil {
			t.Fatalf("%v of\n%s", err, text)
		}
		if c.CertFile != "a.crt" || c.KeyFile != "a.key" || c.ClientCAFile != "ca.crt" || c.ClientAuth != tls.RequireAndVerifyClientCert ||
			c.MinVersion != tls.VersionTLS13 || len(c.Users) != 1 || string(c.Users["ana"]) != hash || !c.HasTLS() || !c.IsAuthenticated() {
			t.Errorf("%+v of\n%s", c, text)
		}
	}
	for _, text := range []string{"", "tls_server_config: {}\nbasic_auth_users:\n", "# nothing\n"} {
		if c, err := ParseWebConfig([]byte(text)); err != nil || c.HasTLS() || c.IsAuthenticated() {
			t.Errorf("%q: %+v %v", text, c, err)
		}
	}
}

// What is wrong is told with its line; what is not known is not passed over, since it may
// have been to protect.
func TestBadWebConfigs(t *testing.T) {
	for text, want := range map[string]string{
		"tls_server_config:\n  cert_file: a\n": "both",
		"tls_server_config:\n  cert_file: a\n  key_file: b\n  client_auth_type: RequireAndVerifyClientCert\n": "client_ca_file",
		"tls_server_config:\n  client_ca_file: a\n":                                                           "cert_file",
		"tls_server_config:\n  min_version: TLS10\n":                                                          "line 2",
		"tls_server_config:\n  cipher_suites:\n    - TLS_X\n":                                                 "line 3",
		"tls_server_config:\n  prefer_server_cipher_suites: true\n":                                           "prefer_server_cipher_suites",
		"http_server_config:\n  http2: true\n":                                                                "http_server_config",
		"basic_auth_users:\n  ana: secret\n":                                                                  "bcrypt",
		"basic_auth_users:\n  ana: " + hash + "\n  ana: " + hash + "\n":                                       "line 3",
		"basic_auth_users:\n\tana: x\n":                                                                       "tab",
		"  basic_auth_users:\n":                                                                               "line 1",
		"basic_auth_users:\n  ana: " + hash + "\n    bob: " + hash + "\n":                                     "line 3",
		"basic_auth_users:\n    ana: " + hash + "\n  bob: " + hash + "\n":                                     "line 3",
		"basic_auth_users:\n  'ana: x\n":                                                                      "quotes",
		"nonsense\n":                                                                                          "line 1",
		"basic_auth_users: [a]\n":                                                                             "line 1",
	} {
		if c, err := ParseWebConfig([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v, want %q", text, c, err, want)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%v tells a secret", err)
		}
	}
	deep := ""
	for i := range 40 {
		deep += strings.Repeat(" ", i) + fmt.Sprintf("k%d:\n", i)
	}
	if _, err := ParseWebConfig([]byte(deep)); err == nil {
		t.Error("it is nested without end")
	}
}

func FuzzWebConfig(f *testing.F) {
	f.Add("tls_server_config:\n  cert_file: a\n  key_file: 'b'\nbasic_auth_users:\n  \"ana\": " + hash)
	f.Add("a:\n  b:\n c: \"\\\"")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseWebConfig([]byte(text))
		if err == nil && (c.CertFile == "") != (c.KeyFile == "") {
			t.Errorf("%+v", c)
		}
	})
}
