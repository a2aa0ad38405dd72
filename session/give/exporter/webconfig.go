package exporter

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/crypto/bcrypt"

	"perfdeck/session/system/lazy"
	"perfdeck/session/system/osfile"
	"perfdeck/session/text/printable"
)

// WebConfig is how an exporter is protected, as the web configuration file of Prometheus'
// exporter-toolkit says (docs/web-configuration.md there): tls_server_config and
// basic_auth_users. What it says besides is refused, not passed over.
type WebConfig struct {
	CertFile, KeyFile, ClientCAFile string // beside the file where they are relative
	ClientAuth                      tls.ClientAuthType
	MinVersion                      uint16
	Users                           map[string][]byte // bcrypt hashes of their passwords
}

// IsAuthenticated tells whether who asks has to be somebody.
func (c *WebConfig) IsAuthenticated() bool {
	return c != nil && (len(c.Users) > 0 || c.ClientAuth == tls.RequireAndVerifyClientCert)
}

// HasTLS tells whether what is asked and answered is encrypted.
func (c *WebConfig) HasTLS() bool { return c != nil && c.CertFile != "" }

// maxWebConfig bounds the file.
const maxWebConfig = 1 << 20

// Obeyed is the whole name of a file that says who may do what, or why others could have written it.
type Obeyed func(name string) (whole string, err error)

// ReadWebConfig reads a file. Its errors name it, and a line of it.
func ReadWebConfig(ctx context.Context, name string, obeyed Obeyed) (*WebConfig, error) {
	name, err := obeyed(name)
	if err != nil {
		return nil, fmt.Errorf("read web config: %w", err)
	}
	text, err := osfile.Read(ctx, name, maxWebConfig)
	if err != nil {
		return nil, fmt.Errorf("read web config: %w", err)
	}
	c, err := ParseWebConfig(text)
	if err != nil {
		return nil, fmt.Errorf("read web config %s: %w", name, err)
	}
	for _, file := range []*string{&c.CertFile, &c.KeyFile, &c.ClientCAFile} {
		if *file != "" && !filepath.IsAbs(*file) {
			*file = filepath.Join(filepath.Dir(name), *file)
		}
	}
	if c.ClientCAFile != "" {
		if _, err := obeyed(c.ClientCAFile); err != nil {
			return nil, fmt.Errorf("read client_ca_file: %w", err)
		}
	}
	return c, nil
}

// ParseWebConfig decodes a file.
func ParseWebConfig(text []byte) (*WebConfig, error) {
	entries, err := parseYAML(string(text))
	if err != nil {
		return nil, err
	}
	c := &WebConfig{MinVersion: tls.VersionTLS12, Users: map[string][]byte{}}
	for _, e := range entries {
		if err := c.set(e); err != nil {
			return nil, fmt.Errorf("line %d: %w", e.line, err)
		}
	}
	switch {
	case (c.CertFile == "") != (c.KeyFile == ""):
		return nil, errors.New("tls_server_config needs both cert_file and key_file")
	case c.CertFile == "" && (c.ClientCAFile != "" || c.ClientAuth != tls.NoClientCert):
		return nil, errors.New("client certificates need cert_file and key_file")
	case c.ClientAuth >= tls.VerifyClientCertIfGiven && c.ClientCAFile == "":
		return nil, errors.New("client_auth_type needs client_ca_file")
	}
	return c, nil
}

// The values that keys of the file may have.
var (
	clientAuths = map[string]tls.ClientAuthType{
		"": tls.NoClientCert, "NoClientCert": tls.NoClientCert, "RequestClientCert": tls.RequestClientCert,
		"RequireAnyClientCert": tls.RequireAnyClientCert, "RequireClientCert": tls.RequireAnyClientCert,
		"VerifyClientCertIfGiven": tls.VerifyClientCertIfGiven, "RequireAndVerifyClientCert": tls.RequireAndVerifyClientCert,
	}
	tlsVersions = map[string]uint16{"TLS12": tls.VersionTLS12, "TLS13": tls.VersionTLS13}
)

// set takes over one value of the file.
func (c *WebConfig) set(e entry) error {
	if len(e.path) == 2 && e.path[0] == "basic_auth_users" {
		if _, err := bcrypt.Cost([]byte(e.value)); err != nil {
			return fmt.Errorf("basic_auth_users %q: its password is no bcrypt hash", printable.Text(e.path[1]))
		}
		c.Users[e.path[1]] = []byte(e.value)
		return nil
	}
	ok := true
	switch key := strings.Join(e.path, "."); key {
	case "tls_server_config.cert_file":
		c.CertFile = e.value
	case "tls_server_config.key_file":
		c.KeyFile = e.value
	case "tls_server_config.client_ca_file":
		c.ClientCAFile = e.value
	case "tls_server_config.client_auth_type":
		c.ClientAuth, ok = clientAuths[e.value]
	case "tls_server_config.min_version":
		c.MinVersion, ok = tlsVersions[e.value]
	case "tls_server_config", "basic_auth_users":
		ok = e.value == "" // with nothing in it
	default:
		return fmt.Errorf("%s is not known here: cert_file, key_file, client_auth_type, client_ca_file and min_version of tls_server_config are, and basic_auth_users", printable.Text(key))
	}
	if !ok {
		return fmt.Errorf("%s: no such value", strings.Join(e.path, "."))
	}
	return nil
}

// TLS is the configuration of a server, with the certificates of now. The key is for nobody else's eyes.
func (c *WebConfig) TLS() (*tls.Config, error) {
	key, err := osfile.OpenSecret(c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read key_file: %w", err)
	}
	_ = key.Close()
	pair, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	out := &tls.Config{MinVersion: c.MinVersion, ClientAuth: c.ClientAuth, Certificates: []tls.Certificate{pair}, NextProtos: []string{"http/1.1"}}
	if c.ClientCAFile != "" {
		text, err := os.ReadFile(c.ClientCAFile)
		if err != nil {
			return nil, fmt.Errorf("read client_ca_file: %w", err)
		}
		out.ClientCAs = x509.NewCertPool()
		if !out.ClientCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("read client_ca_file %s: there is no certificate in it", c.ClientCAFile)
		}
	}
	return out, nil
}

// entry is a scalar of a file of YAML, by the keys that lead to it.
type entry struct {
	path  []string
	value string
	line  int
}

// Limits of a file of YAML.
const (
	maxEntries = 10_000
	maxDepth   = 8
)

var (
	errTab   = errors.New("a tab cannot indent")
	errList  = errors.New("lists and mappings in braces are not known here")
	errNoKey = errors.New("it is not written as KEY: VALUE")
	errDeep  = errors.New("mappings are nested too deeply")
	errTwice = errors.New("the key comes twice")
	errLost  = errors.New("it is indented as nothing above it")
	errQuote = errors.New("the quotes do not close, or something follows them")
)

// mapping is one that is open while lines are read.
type mapping struct {
	path     []string
	entry    int // of it; -1: the whole
	indent   int
	children int // their indentation; -1: there are none so far
}

// parseYAML decodes the part of YAML that web configurations are written in: mappings by
// indentation, with plain and quoted scalars on one line, and comments. A mapping without
// anything in it is an entry without value.
func parseYAML(text string) ([]entry, error) {
	var all []entry
	isMapping := map[int]bool{}
	seen := map[string]bool{}
	open := []mapping{{entry: -1, indent: -1}}
	number := 0
	for raw := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) {
		number++
		line := strings.TrimRight(raw, "\r\n")
		body := strings.TrimLeft(line, " ")
		indent := len(line) - len(body)
		if body == "" || body[0] == '#' || line == "---" {
			continue
		}
		key, value, err := keyValue(body)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		for open[len(open)-1].indent >= indent {
			open = open[:len(open)-1]
		}
		in := &open[len(open)-1]
		if in.children < 0 && all[in.entry].value == "" {
			in.children, isMapping[in.entry] = indent, true
		}
		e := entry{append(slices.Clip(in.path), key), value, number}
		id := fmt.Sprintf("%q", e.path)
		switch {
		case in.children != indent:
			err = errLost
		case seen[id]:
			err = errTwice
		case len(open) > maxDepth || len(all) == maxEntries:
			err = errDeep
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		seen[id] = true
		open = append(open, mapping{e.path, len(all), indent, -1})
		all = append(all, e)
	}
	var out []entry
	for i, e := range all {
		if !isMapping[i] {
			out = append(out, e)
		}
	}
	return out, nil
}

// keyValue parts a line without its indentation.
func keyValue(body string) (key, value string, err error) {
	switch {
	case body[0] == '\t':
		return "", "", errTab
	case strings.HasPrefix(body+" ", "- "), body[0] == '{', body[0] == '[':
		return "", "", errList
	}
	var rest string
	if body[0] == '"' || body[0] == '\'' {
		if key, rest, err = quoted(body); err != nil {
			return "", "", err
		}
		rest = strings.TrimLeft(rest, " ")
		if !strings.HasPrefix(rest, ":") {
			return "", "", errNoKey
		}
		rest = rest[1:]
	} else {
		colon := strings.Index(body+" ", ": ")
		if colon <= 0 {
			return "", "", errNoKey
		}
		key, rest = strings.TrimRight(body[:colon], " "), body[min(colon+1, len(body)):]
	}
	value, err = scalar(strings.Trim(rest, " \t"))
	return key, value, err
}

// scalar is a value: plain up to a comment, or in quotes.
func scalar(text string) (string, error) {
	switch {
	case text == "" || text[0] == '#':
		return "", nil
	case text == "{}":
		return "", nil
	case strings.IndexByte("[{&*|>!", text[0]) >= 0:
		return "", errList
	case text[0] == '"' || text[0] == '\'':
		value, rest, err := quoted(text)
		if rest = strings.TrimLeft(rest, " \t"); err == nil && rest != "" && rest[0] != '#' {
			err = errQuote
		}
		return value, err
	}
	if at := strings.Index(text, " #"); at >= 0 {
		text = strings.TrimRight(text[:at], " \t")
	}
	return text, nil
}

var (
	inQuotes = lazy.Regexp(`(?s)\A(?:"((?:[^"\\]|\\["\\/])*)"(.*)|'((?:[^']|'')*)'((?:[^'].*)?))\z`)
	// escaped are the signs behind a backslash; what else stands for is not needed here.
	escaped = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\/`, `/`)
)

// quoted takes a scalar in quotes: in single ones a quote is written twice, in double ones
// behind a backslash.
func quoted(text string) (value, rest string, err error) {
	m := inQuotes().FindStringSubmatch(text)
	switch {
	case m == nil:
		return "", "", errQuote
	case text[0] == '"':
		return escaped.Replace(m[1]), m[2], nil
	}
	return strings.ReplaceAll(m[3], "''", "'"), m[4], nil
}
