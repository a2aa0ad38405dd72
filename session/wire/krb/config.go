package krb

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"perfdeck/session/system/osfile"
)

// Config is what krb5.conf says of realms. Everything else in it is for other
// programs.
type Config struct {
	DefaultRealm string
	kdcs         map[string][]string // realm: addresses
	domains      map[string]string   // host or .domain, in lower case: realm
}

// maxConfigDepth bounds files that include files, maxConfigSize each of them in
// bytes.
const (
	maxConfigDepth = 4
	maxConfigSize  = 1 << 20
)

// loadConfig reads a krb5.conf; an empty path is an empty file.
func loadConfig(path string) (*Config, error) {
	c := &Config{kdcs: map[string][]string{}, domains: map[string]string{}}
	if path == "" {
		return c, nil
	}
	return c, c.load(path, 0)
}

func (c *Config) load(path string, depth int) error {
	if depth > maxConfigDepth {
		return errors.New("includes are nested too deep")
	}
	text, err := osfile.ReadPlain(path, maxConfigSize)
	if err != nil {
		return err
	}
	return c.parse(bytes.NewReader(text), depth)
}

// parse reads sections of relations; a value in braces is a section of its own.
func (c *Config) parse(r io.Reader, depth int) error {
	var section string
	var inner []string // names of the braces around
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		switch {
		case line == "" || line[0] == '#' || line[0] == ';':
		case line[0] == '[':
			section, inner = strings.ToLower(strings.Trim(line, "[]*")), nil
		case line[0] == '}':
			if len(inner) > 0 {
				inner = inner[:len(inner)-1]
			}
		case strings.HasPrefix(line, "include"):
			if err := c.include(line, depth); err != nil {
				return err
			}
		default:
			name, value, _ := strings.Cut(line, "=")
			name, value = strings.TrimSpace(name), strings.TrimSpace(value)
			if strings.HasPrefix(value, "{") {
				if !strings.HasSuffix(value, "}") {
					inner = append(inner, name)
				}
				continue
			}
			c.setRelation(section, inner, name, strings.Trim(value, `"`))
		}
	}
	return lines.Err()
}

// setRelation keeps a relation that is of use here.
func (c *Config) setRelation(section string, inner []string, name, value string) {
	switch {
	case section == "libdefaults" && len(inner) == 0 && name == "default_realm":
		c.DefaultRealm = value
	case section == "realms" && len(inner) == 1 && name == "kdc":
		c.kdcs[inner[0]] = append(c.kdcs[inner[0]], value)
	case section == "domain_realm" && len(inner) == 0:
		c.domains[strings.ToLower(name)] = value
	}
}

// include reads what include and includedir name; of a directory the files that
// MIT's library reads. What is not there is left out.
func (c *Config) include(line string, depth int) error {
	directive, path, _ := strings.Cut(line, " ")
	path = strings.TrimSpace(path)
	named := []string{path}
	if directive == "includedir" {
		named = nil
		entries, _ := os.ReadDir(path)
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".conf") || !strings.ContainsFunc(e.Name(), func(r rune) bool {
				return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", r)
			}) {
				named = append(named, filepath.Join(path, e.Name()))
			}
		}
	}
	for _, file := range named {
		if err := c.load(file, depth+1); err != nil && !errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return nil
}

// realmOf is the realm of a host, empty where the file does not say.
func (c *Config) realmOf(host string) string {
	host = strings.ToLower(strings.TrimSuffix(host, "."))
	if r, ok := c.domains[host]; ok {
		return r
	}
	for {
		_, domain, ok := strings.Cut(host, ".")
		if !ok {
			return ""
		}
		if r, ok := c.domains["."+domain]; ok {
			return r
		}
		host = domain
	}
}

const kdcPort = "88"

// addresses are those of a realm's KDCs in the order they are tried: of the
// file, else of DNS, else the realm's own name, which in a domain of Windows is
// that of its controllers.
func (c *Config) addresses(ctx context.Context, realm string) []string {
	var out []string
	for _, kdc := range c.kdcs[realm] {
		kdc = strings.TrimPrefix(strings.TrimSuffix(kdc, "*"), "tcp/")
		if _, _, err := net.SplitHostPort(kdc); err != nil {
			kdc = net.JoinHostPort(strings.Trim(kdc, "[]"), kdcPort)
		}
		out = append(out, kdc)
	}
	if len(out) > 0 {
		return out
	}
	_, records, _ := net.DefaultResolver.LookupSRV(ctx, "kerberos", "tcp", realm)
	for _, r := range records {
		out = append(out, net.JoinHostPort(strings.TrimSuffix(r.Target, "."), strconv.Itoa(int(r.Port))))
	}
	return slices.Concat(out, []string{net.JoinHostPort(strings.ToLower(realm), kdcPort)})
}
